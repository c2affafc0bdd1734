namespace Weir.Cli.Tests.Load;

/// <summary>Reports of tests that were not run.</summary>
internal static class Reports
{
    /// <summary>Of 1,000 requests some failed; the times are those given, in milliseconds.</summary>
    public static LoadReport Of(long errors = 0, double p99 = 12, double lateness = 0.3, bool stream = false, long requests = 1000, bool isStopped = false) => new()
    {
        Requests = requests,
        Errors = errors,
        ErrorsByKind = errors == 0 ? new Dictionary<string, long>() : new Dictionary<string, long> { ["status 503"] = errors },
        Unfinished = isStopped ? 50 : 0,
        IsStopped = isStopped,
        Rate = (requests - errors) / 2.0,
        Seconds = 2,
        BytesReceived = 3_000_000,
        Items = stream ? 5000 : 0,
        ServiceTime = Times(p99 / 2, requests),
        ResponseTime = Times(p99, requests),
        Lateness = Times(lateness, requests),
        ConnectionWait = Times(0.1, requests),
        FirstByte = stream ? Times(1, requests) : null,
        ItemGap = stream ? Times(0.5, 4000) : null,
    };

    private static LatencySummary Times(double p99, long count) => new(count, p99 / 4, p99 / 2, p99, p99 * 2, p99 * 4);
}
