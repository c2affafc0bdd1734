namespace Weir.Load.Raw;

/// <summary>A request in flight. Stamps of the clock.</summary>
/// <param name="Start">When it should have been sent.</param>
/// <param name="Sent">When it was given to the connection.</param>
internal readonly record struct Exchange(long Start, long Sent);
