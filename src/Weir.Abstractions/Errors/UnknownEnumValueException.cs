namespace Weir;

/// <summary>
/// A client received a name or number that its version of an enum does not declare: the server is newer. Build the client against the newer
/// contract, or mark one member of the enum <see cref="EnumFallbackAttribute"/> to read it instead.
/// </summary>
public sealed class UnknownEnumValueException : WeirException
{
    /// <summary>Describes an unknown value.</summary>
    /// <param name="type">The enum's name.</param>
    /// <param name="name">The name or number as it was received.</param>
    /// <param name="path">Where it is in the result or item: <c>items[2].state</c>; <c>$</c> for the whole.</param>
    public UnknownEnumValueException(string type, string name, string path)
        : base(CallStatus.ProtocolViolation, WeirCodes.UnknownEnumValue, $"'{name}' at {path} is no value of {type} in this program, so the server is newer: update the contract, or mark a member of {type} [EnumFallback].")
    {
        TypeName = type;
        Name = name;
        Path = path;
    }

    /// <summary>The enum's name.</summary>
    public string TypeName { get; }

    /// <summary>The name or number as it was received.</summary>
    public string Name { get; }

    /// <summary>Where it is in the result or item: <c>items[2].state</c>; <c>$</c> for the whole.</summary>
    public string Path { get; }
}
