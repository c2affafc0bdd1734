using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Micro;

/// <summary>Operations whose generated code is measured without calling them.</summary>
[Service]
public sealed class Perf
{
    /// <summary>The lab's operation, with a small object as its result.</summary>
    [Get]
    public Echo Echo(string name, int x, int y, Fruit e) => new(x + y, name, (double)e);
}
