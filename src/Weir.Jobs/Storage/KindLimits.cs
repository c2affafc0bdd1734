namespace Weir.Jobs.Storage;

/// <summary>How many jobs of a kind may run at once, in all processes.</summary>
/// <param name="MaxPerKey">With one key; <c>null</c> for no limit.</param>
/// <param name="MaxTotal">In all; <c>null</c> for no limit.</param>
internal sealed record KindLimits(int? MaxPerKey, int? MaxTotal);
