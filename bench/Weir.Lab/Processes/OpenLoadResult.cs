namespace Weir.Lab.Processes;

/// <summary>What an open load saw: response times from the intended start, in milliseconds.</summary>
/// <param name="P50">Median of the response time.</param>
/// <param name="P90">90 % are not longer.</param>
/// <param name="P99">99 % are not longer.</param>
/// <param name="Max">The longest.</param>
/// <param name="ConnectionWaitP99">p99 of how long requests waited for a connection.</param>
/// <param name="LatenessP99">p99 of how late the generator was.</param>
/// <param name="Completed">Requests that succeeded.</param>
/// <param name="Errors">Requests that did not.</param>
/// <param name="CpuSeconds">What the generator used of the processors.</param>
internal sealed record OpenLoadResult(
    double P50, double P90, double P99, double Max, double ConnectionWaitP99, double LatenessP99, long Completed, long Errors, double CpuSeconds)
{
    /// <summary>Requests that failed make every other figure worthless.</summary>
    public OpenLoadResult WithoutErrors() => Errors == 0 && Completed > 0
        ? this
        : throw new InvalidDataException($"{Errors} of {Completed + Errors} requests failed.");
}
