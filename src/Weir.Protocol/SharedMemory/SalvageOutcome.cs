namespace Weir.Protocol.SharedMemory;

/// <summary>What was found in the shared memory of a dead worker.</summary>
internal enum SalvageOutcome
{
    /// <summary>Everything it had finished was received.</summary>
    Nothing,

    /// <summary>There were bytes that had not been received; they follow those that had been.</summary>
    Taken,

    /// <summary>The shared memory contradicts itself or the channel: none of it is used.</summary>
    Hostile,
}
