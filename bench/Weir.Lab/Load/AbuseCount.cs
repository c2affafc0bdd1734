using Weir.Lab.Engine;

namespace Weir.Lab.Load;

/// <summary>How hostile requests were answered, and the healthy request behind each. Not for concurrent use.</summary>
internal sealed class AbuseCount
{
    public const string Failures = "500 to 502";
    public const string Hangs = "hangs";
    public const string Unanswered = "healthy unanswered";

    private readonly SortedDictionary<string, int> _statuses = [];

    private int _closed;
    private int _hung;
    private int _sameConnection;
    private int _unanswered;

    /// <summary>A status line of an answer to a hostile request.</summary>
    public void Answered(int status)
    {
        var name = status switch
        {
            >= 200 and < 300 => "2xx",
            >= 400 and < 500 => "4xx",
            500 or 501 or 502 => Failures,
            _ => "others",
        };
        _statuses[name] = _statuses.GetValueOrDefault(name) + 1;
    }

    /// <summary>A hostile request found its connection closed without an answer.</summary>
    public void Closed() => _closed++;

    /// <summary>Within the patience neither an answer came nor was the connection closed.</summary>
    public void Hung() => _hung++;

    /// <summary>The healthy request behind one was answered, and rightly.</summary>
    public void HealthyAnswered(bool onSameConnection) => _sameConnection += onSameConnection ? 1 : 0;

    /// <summary>The healthy request behind one had no answer, or another one's, on a new connection too.</summary>
    public void HealthyUnanswered() => _unanswered++;

    public void Merge(AbuseCount other)
    {
        foreach (var (name, count) in other._statuses)
            _statuses[name] = _statuses.GetValueOrDefault(name) + count;
        _closed += other._closed;
        _hung += other._hung;
        _sameConnection += other._sameConnection;
        _unanswered += other._unanswered;
    }

    public Round ToRound() => new Round()
        .Add("2xx", _statuses.GetValueOrDefault("2xx"), "")
        .Add("4xx", _statuses.GetValueOrDefault("4xx"), "")
        .Add(Failures, _statuses.GetValueOrDefault(Failures), "")
        .Add("other statuses", _statuses.GetValueOrDefault("others"), "")
        .Add("closed unanswered", _closed, "")
        .Add(Hangs, _hung, "")
        .Add("healthy, same connection", _sameConnection, "")
        .Add(Unanswered, _unanswered, "");
}
