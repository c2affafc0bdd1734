namespace Weir.Lab.Load;

/// <summary>What a sender does once it has sent all that it sends.</summary>
internal enum SenderEnding
{
    /// <summary>It waits for one answer: its request is complete, or wrong in a way that the server can detect without more bytes.</summary>
    Waits,

    /// <summary>
    /// It waits for an answer for a moment, closes its side, and reads until the server closes the other one: the server may be waiting
    /// for more, and may close without an answer.
    /// </summary>
    GivesUp,

    /// <summary>It closes its side at once, and reads until the server closes the other one.</summary>
    HalfCloses,

    /// <summary>It resets the connection and reads nothing.</summary>
    Resets,
}
