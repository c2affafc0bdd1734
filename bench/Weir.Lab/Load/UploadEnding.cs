namespace Weir.Lab.Load;

/// <summary>What a caller does with an upload before its end.</summary>
internal enum UploadEnding
{
    /// <summary>It resets the connection.</summary>
    Resets,

    /// <summary>It closes its side and waits for an answer.</summary>
    Closes,

    /// <summary>It sends a request that is whole, with a form in it that is not, and waits for an answer.</summary>
    Truncates,

    /// <summary>Nothing: the upload is whole, and it waits for an answer.</summary>
    Whole,
}
