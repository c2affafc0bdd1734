namespace Weir.Http.FanOut;

/// <summary>What a result tells about how its request was sent.</summary>
/// <param name="call">The request.</param>
/// <param name="attempts">Counts how often it was sent, where a handler does.</param>
/// <param name="time">The clock of the fan-out.</param>
internal readonly struct CallReport(FanOutCall call, AttemptCounter? attempts, TimeProvider time)
{
    /// <summary>Its position in the input.</summary>
    public long Index => call.Index;

    /// <summary>How often it was sent.</summary>
    public int Attempts => attempts?.Count ?? 1;

    /// <summary>From when it was sent to the headers of its response.</summary>
    public TimeSpan? FirstByte { get; init; }

    /// <summary>Its times until now.</summary>
    public FanOutTiming Timing() => new(time.GetElapsedTime(call.ReadAt, call.StartedAt), FirstByte, time.GetElapsedTime(call.StartedAt));
}
