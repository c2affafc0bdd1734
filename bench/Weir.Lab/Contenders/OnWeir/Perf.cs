using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Contenders.OnWeir;

/// <summary>Document 004's operation.</summary>
[Service]
public sealed class Perf
{
    [Get]
    public Echo Echo(string name, int x, int y, Fruit e) => Work.Echo.Of(name, x, y, e);
}
