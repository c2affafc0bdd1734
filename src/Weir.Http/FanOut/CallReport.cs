namespace Weir.Http.FanOut;

/// <summary>What a result tells about how its request was sent.</summary>
/// <param name="Index">Its position in the input.</param>
/// <param name="Attempts">How often it was sent.</param>
/// <param name="Timing">Its times.</param>
internal readonly record struct CallReport(long Index, int Attempts, FanOutTiming Timing);
