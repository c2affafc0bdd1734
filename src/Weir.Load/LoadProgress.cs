namespace Weir;

/// <summary>How far a load test is. Counts are those of the report so far; during <see cref="LoadOptions.WarmUp"/> they are zero.</summary>
/// <param name="Elapsed">Since the first request.</param>
/// <param name="Requests">Requests that have ended, with success or not.</param>
/// <param name="Errors">Those of them that failed.</param>
/// <param name="BytesReceived">Bytes of their responses.</param>
public readonly record struct LoadProgress(TimeSpan Elapsed, long Requests, long Errors, long BytesReceived);
