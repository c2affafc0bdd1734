namespace Weir.Generator.Model;

/// <summary>A contract that a client calls over HTTP: everything its output file is written from.</summary>
/// <param name="Service">The service's name.</param>
/// <param name="Identifier">Of the contract, in generated code.</param>
/// <param name="Contract">The interface, fully qualified.</param>
/// <param name="Operations">Its operations.</param>
/// <param name="OtherMethods">Members of the contract that are not operations.</param>
/// <param name="Types">The types that its operations exchange.</param>
/// <param name="Text">The contract as JSON, without documentation.</param>
internal sealed record RemoteClientModel(
    string Service,
    string Identifier,
    string Contract,
    EquatableArray<RemoteOperationModel> Operations,
    EquatableArray<ContractMethodModel> OtherMethods,
    EquatableArray<TypeModel> Types,
    string Text)
{
    public string Class => Identifier + "Client";
}

/// <summary>An operation that a client calls.</summary>
/// <param name="Name">Service and operation.</param>
/// <param name="Verb">The HTTP method.</param>
/// <param name="Path">The parts of the path.</param>
/// <param name="Parameters">What callers supply.</param>
/// <param name="Result">What it returns.</param>
/// <param name="Throws">The exceptions it declares.</param>
/// <param name="Method">The interface's method.</param>
/// <param name="Signature">The hash of its contract.</param>
/// <param name="Resumption">How a stream continues after a cut: "Source" has a parameter <c>from</c> for the index, of "Buffer" the server keeps the items, "None".</param>
internal sealed record RemoteOperationModel(
    string Name,
    string Verb,
    EquatableArray<PathPartModel> Path,
    EquatableArray<ParameterModel> Parameters,
    ResultModel Result,
    EquatableArray<ThrowsModel> Throws,
    ContractMethodModel Method,
    ulong Signature,
    string Resumption)
{
    /// <summary>Whether values are in a JSON object; otherwise they are in the query.</summary>
    public bool HasJsonMembers =>
        !Parameters.Any(static one => one.Source is "Body" or "Raw" or "Items" or "Stream" or "Form" or "File")
        && (Verb is not ("GET" or "DELETE") || Parameters.Any(one => one.Source == "Value" && !one.Value.IsText));

    /// <summary>The parameters in the path.</summary>
    public bool IsInPath(ParameterModel parameter) => Path.Any(one => one.Parameter == parameter.Name);
}

/// <summary>A part of a path: text as it is, or a value.</summary>
/// <param name="Literal">Encoded; empty for a value.</param>
/// <param name="Parameter">The parameter whose value it is; <c>null</c> for text.</param>
/// <param name="IsRest">Whether the value may have slashes.</param>
/// <param name="Before">What is omitted with a value that is null: the slash or point before it.</param>
internal sealed record PathPartModel(string Literal, string? Parameter, bool IsRest, string Before);

/// <summary>What the client's code may use.</summary>
internal enum ClientForm
{
    /// <summary>There are no clients: the project does not reference Weir.Client.</summary>
    None,

    /// <summary>Generated readers and writers.</summary>
    Generated,

    /// <summary>The serializer only, in C# 9: .NET Framework and netstandard2.0.</summary>
    Serialized,
}
