namespace Weir.Lab.Contenders.OnWeir;

/// <summary>The least an operation can do.</summary>
[Service]
public sealed class Hello
{
    [Get]
    public string World() => "Hello, world";
}
