using Weir;

namespace Showcase;

/// <summary>The smallest service.</summary>
[Service]
public sealed class Hello
{
    [Get]
    public string World() => "Hello, world";
}
