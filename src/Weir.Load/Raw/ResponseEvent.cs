namespace Weir.Load.Raw;

/// <summary>What a scanner found in received bytes.</summary>
internal enum ResponseEvent
{
    /// <summary>Nothing more: all bytes were taken.</summary>
    None,

    /// <summary>The end of the headers: the status is known.</summary>
    Head,

    /// <summary>A piece of the body.</summary>
    Body,

    /// <summary>The end of a response.</summary>
    End,

    /// <summary>Bytes that are no HTTP/1.1 response.</summary>
    Invalid,
}
