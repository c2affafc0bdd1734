namespace Weir.LightNode.Tests.Contracts;

/// <summary>A verb on the class is the default of its operations.</summary>
[Put]
public abstract class VerbOperations
{
    public string PutOnly() => "put";

    [Patch]
    public void PatchOnly()
    {
    }

    [Get, Delete]
    public string Own() => "own";

    /// <summary>Another attribute of the method does not reset the class's verbs, as it does in LightNode.</summary>
    [Operation("Named")]
    public string Renamed() => "named";
}

[Service]
public sealed class VerbContract : VerbOperations;

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedVerbContract : VerbOperations;

/// <summary>No verb at all.</summary>
public abstract class DefaultVerbOperations
{
    public string Say() => "posted";

    [Get]
    public string Read() => "read";
}

[Service]
public sealed class DefaultVerbs : DefaultVerbOperations;

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedDefaultVerbs : DefaultVerbOperations;
