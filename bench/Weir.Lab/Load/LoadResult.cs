using Weir.Lab.Measuring;

namespace Weir.Lab.Load;

/// <summary>What a load generator saw.</summary>
internal sealed class LoadResult
{
    /// <summary>Responses that ended with 200 or 204.</summary>
    public long Completed { get; set; }

    /// <summary>Other statuses and broken connections.</summary>
    public long Errors { get; set; }

    /// <summary>From the first request to the last response counted.</summary>
    public double Seconds { get; set; }

    /// <summary>From the time when a request should have been sent: what a user observes, including the delay of the generator.</summary>
    public Histogram Response { get; } = new();

    /// <summary>From when a request was given to the socket.</summary>
    public Histogram Service { get; } = new();

    /// <summary>How late the generator itself was: if this is large, the other figures are its own.</summary>
    public Histogram Lateness { get; } = new();

    /// <summary>How long requests had to wait for a connection because all had one under way: the server's doing, and part of the response time.</summary>
    public Histogram Wanting { get; } = new();

    public double PerSecond => Completed / Seconds;

    /// <summary>Requests that failed make every other figure worthless.</summary>
    public LoadResult WithoutErrors() => Errors == 0 && Completed > 0
        ? this
        : throw new InvalidDataException($"{Errors} of {Completed + Errors} requests failed.");
}
