using System.Collections.Concurrent;
using System.Globalization;
using System.Text.Json.Nodes;

namespace Weir.Cli.Tests.Jobs;

/// <summary>A server that answers requests for jobs as a test says: each path with its answers one after the other, and the last one again and again.</summary>
internal sealed class ScriptedJobs : IAsyncDisposable
{
    public const string Id = "0198c5a2-7e5b-7c1d-a1b2-3c4d5e6f7081";
    public const string Lines = "200 OK\r\nContent-Type: application/x-ndjson; weir=1";

    private readonly ConcurrentDictionary<string, ConcurrentQueue<byte[]>> _answers = new();
    private readonly ConcurrentDictionary<string, byte[]> _last = new();
    private readonly HostileServer _server;

    public ScriptedJobs() => _server = new HostileServer(target => target == "/$catalog" ? HostileServer.Json(CallCatalog.Text()) : Next(target));

    /// <summary>Its address, without a slash at the end.</summary>
    public string Address => _server.Address;

    /// <summary>The requests, but for the catalog: verb, path, and with their heads and bodies.</summary>
    public string[] Requests => [.. _server.Requests.Where(static request => !request.Contains(" /$catalog ", StringComparison.Ordinal))];

    /// <summary>The verb and the path of each request.</summary>
    public string[] Targets => [.. Requests.Select(static request => string.Join(' ', request.Split(' ').Take(2)))];

    /// <summary>Answers to a path.</summary>
    /// <param name="target">With its query.</param>
    /// <param name="answers">One after the other.</param>
    public ScriptedJobs On(string target, params byte[][] answers)
    {
        _answers[target] = new ConcurrentQueue<byte[]>(answers);
        return this;
    }

    /// <summary>Answers to the path of the one job.</summary>
    public ScriptedJobs OnJob(string rest, params byte[][] answers) => On($"/$jobs/{Id}{rest}", answers);

    /// <summary>The job as JSON.</summary>
    /// <param name="state">Its state.</param>
    /// <param name="change">What is different.</param>
    public static JsonObject Job(string state, Action<JsonObject>? change = null)
    {
        var job = JsonNode.Parse($$$"""
            {"id":"{{{Id}}}","kind":"Svc/Member","state":"{{{state}}}","reason":null,"stopping":null,"attempt":1,"attempts":5,"submitted":"2026-10-04T12:00:00.1234567Z","due":"2026-10-04T12:00:00Z","started":null,"ended":null,
             "expires":null,"progress":null,"items":0,"key":null,"priority":"normal","parent":null,"problem":null,"links":{"self":"/$jobs/{{{Id}}}","result":"/$jobs/{{{Id}}}/result","items":null,"cancel":"/$jobs/{{{Id}}}/cancel"}}
            """)!.AsObject();
        change?.Invoke(job);
        return job;
    }

    /// <summary>The job of a stream.</summary>
    public static JsonObject Stream(string state) => Job(state, static job => job["links"]!["items"] = $"/$jobs/{Id}/items");

    /// <summary>An answer that has a job.</summary>
    public static byte[] Answer(JsonObject job, string status = "200 OK", string headers = "") =>
        HostileServer.Response($"{status}\r\nContent-Type: application/json{(headers.Length > 0 ? "\r\n" + headers : "")}", job.ToJsonString());

    /// <summary>The answer to a submission.</summary>
    public static byte[] Accepted(JsonObject job, string headers = "") => Answer(job, "202 Accepted", $"Location: /$jobs/{Id}\r\nPreference-Applied: respond-async{(headers.Length > 0 ? "\r\n" + headers : "")}");

    /// <summary>A problem.</summary>
    public static byte[] Problem(int status, string code, string more = "") =>
        HostileServer.Response(string.Create(CultureInfo.InvariantCulture, $"{status} E\r\nContent-Type: application/problem+json"), $$"""{"title":"Title","status":{{status}},"code":"{{code}}","detail":"Detail."{{more}}}""");

    /// <summary>Items of a stream, which names itself.</summary>
    public static byte[] Items(string body, string name = Id) => HostileServer.Response($"{Lines}\r\nWeir-Stream: {name}", body);

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    private byte[] Next(string target)
    {
        if (_answers.TryGetValue(target, out var queue) && queue.TryDequeue(out var answer))
        {
            return _last[target] = answer;
        }

        return _last.TryGetValue(target, out var last) ? last : HostileServer.Response("404 Not Found\r\nContent-Length: 0", "");
    }
}
