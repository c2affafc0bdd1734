namespace Weir.AspNetCore.Resuming;

/// <summary>Whether a reader can continue a stream.</summary>
internal enum Attachment
{
    /// <summary>It can.</summary>
    Attached,

    /// <summary>Its next item is not kept any more.</summary>
    Gone,

    /// <summary>It names an item that was never sent.</summary>
    NeverSent,

    /// <summary>There is no such stream, or it is another caller's.</summary>
    Unknown,
}
