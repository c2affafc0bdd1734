namespace Weir;

/// <summary>The reason codes of a <see cref="BindingError"/>; stable, they are sent in problem details.</summary>
public static class BindingErrorReason
{
    /// <summary>A required argument is absent.</summary>
    public const string Missing = "missing";

    /// <summary>The text or token is not a value of the type.</summary>
    public const string Invalid = "invalid";

    /// <summary>A single value was given more than once, or in two sources.</summary>
    public const string Duplicate = "duplicate";

    /// <summary>A null where null is not allowed.</summary>
    public const string Null = "null";

    /// <summary>An argument that no parameter asks for, where the option to refuse such arguments is on.</summary>
    public const string Unknown = "unknown";

    /// <summary>The body cannot be read at all: not JSON, too deep, or cut off.</summary>
    public const string Malformed = "malformed";

    /// <summary>A validation attribute, or the value itself by <c>IValidatableObject</c>, refuses the value: <see cref="BindingError.Expected"/> is its message.</summary>
    public const string Validation = "validation";
}
