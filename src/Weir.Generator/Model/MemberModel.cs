namespace Weir.Generator.Model;

/// <summary>How a property gets the value that was read.</summary>
internal enum MemberSlot
{
    /// <summary>It gets none: it is write-only.</summary>
    None,

    /// <summary>As an argument of the constructor.</summary>
    Constructor,

    /// <summary>In the object initializer: <c>required</c>.</summary>
    Initializer,

    /// <summary>By its <c>init</c> accessor afterwards, and only if it was sent.</summary>
    Accessor,

    /// <summary>By its setter afterwards, and only if it was sent.</summary>
    Setter,
}

/// <summary>When a property is written.</summary>
internal enum WriteCondition
{
    /// <summary>Always.</summary>
    Always,

    /// <summary>Unless it is null.</summary>
    NotNull,

    /// <summary>Unless it is the type's default.</summary>
    NotDefault,

    /// <summary>Never.</summary>
    Never,
}

/// <summary>One property of an exchanged type.</summary>
/// <param name="Property">Its name in C#.</param>
/// <param name="JsonName">Its name in JSON.</param>
/// <param name="Read">What is read: the constructor's parameter where there is one.</param>
/// <param name="Written">What is written.</param>
/// <param name="Slot">How it gets the value.</param>
/// <param name="Position">The constructor parameter's position; -1 elsewhere.</param>
/// <param name="Default">The value when it was not sent; <c>null</c> where that is a binding error, or nothing happens.</param>
/// <param name="Condition">When it is written.</param>
/// <param name="Accessor">The <c>init</c> accessor that sets it; <c>null</c> where another slot does.</param>
internal sealed record MemberModel(
    string Property,
    string JsonName,
    ValueModel Read,
    ValueModel Written,
    MemberSlot Slot,
    int Position,
    string? Default,
    WriteCondition Condition,
    AccessorModel? Accessor);

/// <summary>An <c>init</c> accessor, which C# lets only an object initializer call. Of a generic type it is declared in terms of the type's parameters.</summary>
/// <param name="Owner">The type that declares it.</param>
/// <param name="IsStructure">Whether that is a value type.</param>
/// <param name="Name">Its name in metadata.</param>
/// <param name="Value">The property's type as declared.</param>
/// <param name="TypeParameters">The type's parameters, joined by commas; empty where it is not generic.</param>
/// <param name="Constraints">Their constraints.</param>
/// <param name="TypeArguments">What takes their places.</param>
internal sealed record AccessorModel(string Owner, bool IsStructure, string Name, string Value, string TypeParameters, string Constraints, string TypeArguments);
