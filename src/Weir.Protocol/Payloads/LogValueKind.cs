namespace Weir.Protocol.Payloads;

/// <summary>The type of a value of a log record.</summary>
internal enum LogValueKind : byte
{
    /// <summary>There is none.</summary>
    Null = 0,

    /// <summary>Text, or another type by its text.</summary>
    Text = 1,

    /// <summary>A whole number, in digits.</summary>
    Integer = 2,

    /// <summary>A floating-point number, as the shortest text that reads as the same number.</summary>
    Number = 3,

    /// <summary><c>true</c> or <c>false</c>.</summary>
    Boolean = 4,
}
