namespace Weir;

/// <summary>
/// The member of an enum that a client reads in place of a name or number which its version of the enum does not declare. Without it, and
/// on a server always, such a value is an error: a client throws <see cref="UnknownEnumValueException"/>. At most one member has it.
/// </summary>
[AttributeUsage(AttributeTargets.Field)]
public sealed class EnumFallbackAttribute : Attribute;
