using Weir.Lab.Isolation;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Document 003's bad neighbour in a worker.</summary>
[Service, Isolated("neighbours")]
public sealed class BadTenant
{
    public void Behave(string how) => new BadNeighbour().Behave(how);
}
