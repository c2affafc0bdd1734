namespace Weir.Generator.Model;

/// <summary>A parameter that callers supply.</summary>
/// <param name="Name">As declared.</param>
/// <param name="Value">Its type; of a streamed request the item's.</param>
/// <param name="Source">The name of a value of <c>Weir.ParameterSource</c>.</param>
/// <param name="IsOptional">Whether it may be absent.</param>
/// <param name="Default">The declared default as an expression; <c>null</c> where there is none.</param>
/// <param name="IsParams">Whether it is marked <c>params</c>.</param>
internal sealed record ParameterModel(string Name, ValueModel Value, string Source, bool IsOptional, string? Default, bool IsParams)
{
    /// <summary>What it is where it is absent, as an expression that is no constant; <c>null</c> where there is none.</summary>
    public string? Initial { get; init; }

    /// <summary>What callers write over HTTP.</summary>
    public string WireName { get; init; } = Name;

    /// <summary>Whether an attribute chose the source: then the value is nowhere else.</summary>
    public bool IsMarked { get; init; }

    /// <summary>What is evaluated of the argument; <c>null</c> for nothing.</summary>
    public ValidationModel? Validation { get; init; }

    /// <summary>Whether it is the body unread, or files of a form: an object that the transport has.</summary>
    public bool IsAttached => Source is "Stream" or "File";

    /// <summary>Whether it is several files of a form.</summary>
    public bool IsFileList => Source == "File" && Value.CoreType.StartsWith("global::System.Collections.Generic.IReadOnlyList<", StringComparison.Ordinal);

    public bool IsRaw => Source == "Raw";

    /// <summary>Whether its items arrive while the operation runs.</summary>
    public bool IsItems => Source == "Items";

    /// <summary>Whether it is one JSON value, or text: neither bytes nor items, nor what the transport has.</summary>
    public bool IsValue => !IsRaw && !IsItems && !IsAttached;

    /// <summary>Whether text may be sent several times for it.</summary>
    public bool IsTextList => !IsItems && Value is { Kind: ValueKind.List, IsText: true };

    /// <summary>The type, as declared.</summary>
    public string Type => IsItems ? $"global::System.Collections.Generic.IAsyncEnumerable<{Value.Type}>" : Value.Type;

    /// <summary>The type as people write it.</summary>
    public string Display => IsItems ? $"IAsyncEnumerable<{Value.Display}>" : Value.Display;

    /// <summary>The call's field; no member of a call's base class can have the name.</summary>
    public string Field => "Argument_" + Name;

    /// <summary>The call's field with the texts that the argument was parsed from, where <see cref="ValueModel.KeepsText"/>.</summary>
    public string Texts => "Texts_" + Name;
}

/// <summary>Where an argument of the method comes from.</summary>
internal enum ArgumentRole
{
    /// <summary>The caller.</summary>
    Bound,

    /// <summary>The caller, item by item.</summary>
    Items,

    /// <summary>The call's cancellation token.</summary>
    Token,

    /// <summary>The call's context.</summary>
    Context,

    /// <summary>The call's services.</summary>
    Service,

    /// <summary>The request, of a call over HTTP.</summary>
    Http,

    /// <summary>Who makes the call.</summary>
    Caller,

    /// <summary>An object that is made of several.</summary>
    Group,
}

/// <summary>An argument of the method.</summary>
/// <param name="Role">Where it comes from.</param>
/// <param name="Field">The call's field with the caller's value; of a request's part, an expression for it; of a group, its type; of the caller, the parameter's name.</param>
/// <param name="Service">The service's type.</param>
internal sealed record ArgumentModel(ArgumentRole Role, string? Field, InjectionModel? Service)
{
    /// <summary>The property of a group that it is assigned to; <c>null</c> for one that is passed.</summary>
    public string? Property { get; init; }

    /// <summary>What a group is made of: first what its constructor takes, in order.</summary>
    public EquatableArray<ArgumentModel> Members { get; init; }
}

/// <summary>A service that a constructor or a method takes.</summary>
/// <param name="Type">Fully qualified, not nullable.</param>
/// <param name="DeclaredType">As declared.</param>
/// <param name="Default">The value when the service is missing; <c>null</c> where that is an error.</param>
/// <param name="Key">An expression for the key of a keyed service; <c>null</c> for others.</param>
internal sealed record InjectionModel(string Type, string DeclaredType, string? Default, string? Key = null);
