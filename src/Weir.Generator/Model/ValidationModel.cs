namespace Weir.Generator.Model;

/// <summary>What is evaluated of one argument or member.</summary>
/// <param name="DisplayName">Its name in messages.</param>
/// <param name="Attributes">Its attributes, <c>[Required]</c> first.</param>
/// <param name="Inside">How to reach what is evaluated inside it; <c>null</c> where nothing is.</param>
internal sealed record ValidationModel(string DisplayName, EquatableArray<ValidationAttributeModel> Attributes, ValidatedShape? Inside);

/// <summary>A validation attribute.</summary>
/// <param name="Code">An expression that constructs it.</param>
/// <param name="ReadsLength">Whether its constructor warns of reflection that it does not use for the value it is on.</param>
internal sealed record ValidationAttributeModel(string Code, bool ReadsLength);

/// <summary>How to reach the objects in a value.</summary>
internal abstract record ValidatedShape;

/// <summary>The value is an object.</summary>
/// <param name="Validator">The generated class that validates it.</param>
/// <param name="IsNullableValue">Whether it is a <c>Nullable&lt;T&gt;</c>.</param>
internal sealed record ValidatedObject(string Validator, bool IsNullableValue) : ValidatedShape;

/// <summary>The value is a list.</summary>
/// <param name="Item">Its element's type.</param>
/// <param name="IsImmutableArray">Whether it is an <c>ImmutableArray&lt;T&gt;</c>, whose default cannot be enumerated.</param>
/// <param name="Element">The element.</param>
internal sealed record ValidatedList(string Item, bool IsImmutableArray, ValidatedShape Element) : ValidatedShape;

/// <summary>The value is a dictionary, whose values are validated.</summary>
/// <param name="Key">The key's type.</param>
/// <param name="Value">The value's type.</param>
/// <param name="Element">The value.</param>
internal sealed record ValidatedDictionary(string Key, string Value, ValidatedShape Element) : ValidatedShape;

/// <summary>A type with validation attributes, or with members that have them. It does not matter what reads and writes its JSON.</summary>
/// <param name="Type">Fully qualified, with the annotations of its arguments: the identity.</param>
/// <param name="Codec">The generated class's name.</param>
/// <param name="DisplayName">Its name in messages.</param>
/// <param name="IsValueType">Whether it is a structure.</param>
/// <param name="IsValidatable">Whether it is an <c>IValidatableObject</c>.</param>
/// <param name="Attributes">The attributes of the type itself.</param>
/// <param name="Members">The members that are evaluated.</param>
/// <param name="Names">The names in JSON of all members: an error may name any of them.</param>
/// <param name="Derived">The derived types that callers may send in its place, the most derived first.</param>
internal sealed record ValidatorModel(
    string Type,
    string Codec,
    string DisplayName,
    bool IsValueType,
    bool IsValidatable,
    EquatableArray<ValidationAttributeModel> Attributes,
    EquatableArray<ValidatedMember> Members,
    EquatableArray<MemberName> Names,
    EquatableArray<DerivedValidator> Derived)
    : TypeModel(Type, Codec);

/// <summary>A member that is evaluated.</summary>
/// <param name="Property">Its name in C#.</param>
/// <param name="JsonName">Its name in JSON.</param>
/// <param name="Validation">What is evaluated.</param>
internal sealed record ValidatedMember(string Property, string JsonName, ValidationModel Validation);

/// <summary>A member's names in C# and in JSON.</summary>
internal sealed record MemberName(string Property, string JsonName);

/// <summary>A derived type and its generated class.</summary>
internal sealed record DerivedValidator(string Type, string Validator);
