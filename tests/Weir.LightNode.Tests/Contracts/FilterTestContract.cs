namespace Weir.LightNode.Tests.Contracts;

/// <summary>Filters of class and method, with the orders of LightNode's tests; those of the application are in <see cref="Hosting.FilteredApplication"/>.</summary>
[Get]
public abstract class FilterTestOperations
{
    [Mark("Method1", Order = 0), Mark("MD")]
    public int Hoge() => 100;

    [MobileOnly]
    public int Huga() => throw new InvalidOperationException("huga");

    public int Refuse() => throw new OperationStatusException(409);

    [Skip]
    public int Skipped(int x) => x;

    [Recalculate]
    public int Recalculated(int x, string y) => x + y.Length;

    [Count]
    public int Counted() => 1;
}

[Service, Contract1(Order = -int.MaxValue), Mark("CD"), Label("aaa")]
public sealed class FilterTestContract : FilterTestOperations;

[Service, Isolated(Workers.Pool), Contract1(Order = -int.MaxValue), Mark("CD"), Label("aaa")]
public sealed class IsolatedFilterTestContract : FilterTestOperations;

/// <summary>A class with a filter, whose derived classes have more.</summary>
[Get, Mark("Base")]
public abstract class InheritingOperations
{
    [Mark("Method")]
    public virtual int Overridden() => 1;
}

[Service, Mark("First"), Mark("Second")]
public sealed class Inheriting : InheritingOperations
{
    public override int Overridden() => 2;
}

[Service, Isolated(Workers.Pool), Mark("First"), Mark("Second")]
public sealed class IsolatedInheriting : InheritingOperations
{
    public override int Overridden() => 2;
}
