using Weir.Jobs.Rules;

namespace Weir.Jobs.Storage;

/// <summary>
/// An attempt that ended without success. One that was presumed to be lost, and then reports a failure, is there twice. Arguments that were edited are kept as one, too, with <see cref="JobEvent.ArgumentsEdited"/>.
/// </summary>
/// <param name="Fence">Of its claim.</param>
/// <param name="Started">When it was claimed.</param>
/// <param name="Ended">When it ended, or was presumed to have.</param>
/// <param name="Happened">How it ended. The numbers are stored.</param>
/// <param name="Stop">Why it was to stop.</param>
/// <param name="Failure">As <see cref="JobAction.Payload"/> had it; empty for nothing. Of an edit: the arguments before, in their stored form.</param>
internal sealed record JobAttempt(long Fence, DateTimeOffset Started, DateTimeOffset Ended, JobEvent Happened, JobStop Stop, ReadOnlyMemory<byte> Failure);
