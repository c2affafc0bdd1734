using System.Globalization;

namespace Weir;

/// <summary>One of the last calls of a worker that ended.</summary>
/// <param name="Id">Its number on the worker's channel, as in the log.</param>
/// <param name="Operation">The operation, <c>Service/Operation</c>.</param>
/// <param name="State"><c>running</c>, <c>not started</c>, <c>answered</c> or <c>failed</c>.</param>
/// <param name="Before">The time until the worker's end: since the call was started, or since it was answered. Zero for a call that was not started.</param>
public readonly record struct CrashReportCall(long Id, string Operation, string State, TimeSpan Before)
{
    /// <summary><c>#17 Hasher/Hash running for 12 ms</c>, <c>#16 Hasher/Hash answered 13 ms before</c>.</summary>
    public override string ToString() => State switch
    {
        "running" => string.Create(CultureInfo.InvariantCulture, $"#{Id} {Operation} running for {Before.TotalMilliseconds:0} ms"),
        "not started" => string.Create(CultureInfo.InvariantCulture, $"#{Id} {Operation} not started"),
        _ => string.Create(CultureInfo.InvariantCulture, $"#{Id} {Operation} {State} {Before.TotalMilliseconds:0} ms before"),
    };
}
