using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>How a result is encoded. The numbers are sent in frames and are never reused.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public enum ResultEncoding
{
    /// <summary>JSON in UTF-8; bytes as base64.</summary>
    Json = 0,

    /// <summary>As it is: text in UTF-8 without quotation marks, bytes as bytes. Only for text and bytes.</summary>
    Raw = 1,
}
