namespace Weir.Protocol;

/// <summary>How the caller wishes the result, or each item of it, to be written.</summary>
public enum PayloadEncoding : byte
{
    /// <summary>As UTF-8 JSON.</summary>
    Json = 0,

    /// <summary>As the value's own bytes; text as UTF-8. A value that is neither is written as JSON all the same, without the flag RAW.</summary>
    Raw = 1,
}
