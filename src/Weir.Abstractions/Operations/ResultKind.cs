namespace Weir;

/// <summary>What an operation returns.</summary>
public enum ResultKind
{
    /// <summary>Nothing.</summary>
    None = 0,

    /// <summary>One value, written as JSON.</summary>
    Value = 1,

    /// <summary>Text: plain, or a JSON string.</summary>
    Text = 2,

    /// <summary>Bytes: raw, or base64 in JSON.</summary>
    Bytes = 3,

    /// <summary>A sequence of items, each written as JSON.</summary>
    Stream = 4,

    /// <summary>An <c>IResult</c> of ASP.NET Core, which writes the response itself.</summary>
    Http = 5,

    /// <summary>A <c>Stream</c> or <c>PipeReader</c>, whose bytes are written as they come.</summary>
    Raw = 6,
}
