namespace Weir.Cli.Load;

/// <summary>The values of a metric.</summary>
internal enum MetricKind
{
    /// <summary>Milliseconds.</summary>
    Time,

    /// <summary>A number of requests, or their share in percent.</summary>
    Errors,

    /// <summary>Requests per second.</summary>
    Rate,
}
