using Weir.Lab.Contenders.Work;

namespace Weir.Lab.NetPeers.OnFastEndpoints;

/// <summary>What FastEndpoints binds from the query.</summary>
public sealed class EchoRequest
{
    public string Name { get; set; } = "";

    public int X { get; set; }

    public int Y { get; set; }

    public Fruit E { get; set; }
}
