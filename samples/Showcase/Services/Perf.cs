using Weir;

namespace Showcase;

/// <summary>A small operation with arguments of three types, for measuring what a call costs.</summary>
[Service]
public sealed class Perf
{
    [Get, Post]
    public EchoResult Echo(string name, int x, int y, Fruit e) => new(name, unchecked(x + y));
}

public sealed record EchoResult(string Name, int Sum);

public enum Fruit
{
    Apple = 1,
    Orange = 2,
    Grape = 4,
}
