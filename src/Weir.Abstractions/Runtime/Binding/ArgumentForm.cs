using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>The form in which a caller sent an argument's value.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum ArgumentForm
{
    /// <summary>Decoded text of a query or form.</summary>
    Text = 0,

    /// <summary>One JSON value in UTF-8.</summary>
    Json = 1,

    /// <summary>Bytes as they are.</summary>
    Raw = 2,
}
