namespace Weir.Lab.Isolation;

/// <summary>What the task of document 003 does.</summary>
public enum TaskKind
{
    /// <summary>Fills the buffer with random bytes and hashes it: the document's load.</summary>
    Load,

    /// <summary>Returns at once: the document's ceiling.</summary>
    Nothing,

    /// <summary>Hashes the bytes it was given, so that answers can be compared.</summary>
    Hash,

    /// <summary>Writes down that the task of the number in the buffer's first eight bytes began and ended.</summary>
    Witnessed,
}
