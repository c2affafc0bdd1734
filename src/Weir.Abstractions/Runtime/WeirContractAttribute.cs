using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>
/// Written by the generator: the contract of one service of an assembly, so that a tool reads it from the built file without loading it.
/// </summary>
/// <param name="service">The service's name.</param>
/// <param name="text">The contract as JSON.</param>
[EditorBrowsable(EditorBrowsableState.Never)]
[AttributeUsage(AttributeTargets.Assembly, AllowMultiple = true)]
public sealed class WeirContractAttribute(string service, string text) : Attribute
{
    /// <summary>The service's name.</summary>
    public string Service { get; } = service;

    /// <summary>The contract as JSON.</summary>
    public string Text { get; } = text;
}
