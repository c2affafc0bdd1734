namespace Weir.Protocol.Page;

/// <summary>What was found in the page of a dead worker.</summary>
public enum SalvageOutcome
{
    /// <summary>Everything it had finished was received.</summary>
    Nothing,

    /// <summary>Bytes that were not received; they follow those that were.</summary>
    Taken,

    /// <summary>The page contradicts itself or the channel: nothing of it is believed.</summary>
    Hostile,
}
