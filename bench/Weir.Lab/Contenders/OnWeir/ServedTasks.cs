namespace Weir.Lab.Contenders.OnWeir;

/// <summary>A task whose class is given what it needs by its constructor: the worker builds a container before it is ready.</summary>
[Service, Isolated(Pool)]
public sealed class ServedTasks(Seal seal)
{
    public const string Pool = "served";

    public string Nothing(ReadOnlyMemory<byte> data) => seal.Of(data.Length);
}

/// <summary>What <see cref="ServedTasks"/> needs, and what that needs in turn.</summary>
public sealed class Seal(Wax wax)
{
    public string Of(int bytes) => bytes == 0 ? wax.Colour : "";
}

/// <summary>The end of the chain.</summary>
public sealed class Wax
{
    public string Colour { get; } = "";
}
