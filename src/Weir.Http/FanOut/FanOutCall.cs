namespace Weir.Http.FanOut;

/// <summary>One request of a fan-out.</summary>
/// <param name="Index">Its position in the input.</param>
/// <param name="Request">The request.</param>
/// <param name="ReadAt">When it was read from the input, as a timestamp of the fan-out's clock.</param>
internal readonly record struct FanOutCall(long Index, HttpRequestMessage Request, long ReadAt);
