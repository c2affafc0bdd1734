using Microsoft.Extensions.DependencyInjection;

namespace Weir.LightNode.Tests.Contracts;

/// <summary>Members of every kind; the public methods are operations.</summary>
[Get]
public abstract class DiscoveredOperations
{
    public event EventHandler? Changed
    {
        add { }
        remove { }
    }

    public string Property { get; set; } = "";

    public static string Static() => "static";

    public virtual string Overridden() => "base";

    public string Inherited() => "inherited";

    [IgnoreOperation]
    public string Ignored() => "ignored";

    public override bool Equals(object? obj) => base.Equals(obj);

    public override int GetHashCode() => base.GetHashCode();

    public override string ToString() => "text";

    internal string Internal() => "internal";

    protected string Protected() => "protected";
}

[Service]
public sealed class Discovered : DiscoveredOperations
{
    public override string Overridden() => "derived";
}

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedDiscovered : DiscoveredOperations
{
    public override string Overridden() => "derived";
}

/// <summary>LightNode ignores a class by an attribute. In Weir a class is no service without its attribute, or a service without a path.</summary>
public abstract class IgnoredOperations
{
    public string Hoge() => "hoge";
}

public sealed class Ignored : IgnoredOperations;

[Service(Http = false)]
public sealed class InternalOnly : IgnoredOperations;

[Service(Http = false), Isolated(Workers.Pool)]
public sealed class IsolatedInternalOnly : IgnoredOperations;

/// <summary>What the constructors below take: from the container of the host, or of the worker.</summary>
/// <param name="Text">Which container it is from.</param>
public sealed record Origin(string Text);

/// <summary>An instance counts its own calls.</summary>
[Get]
public abstract class InstanceOperations(Origin origin)
{
    private int _calls;

    public string Call() => $"{origin.Text} {++_calls}";
}

[Service]
public sealed class Instances(Origin origin) : InstanceOperations(origin);

[Service, Isolated(Workers.Pool)]
public sealed class IsolatedInstances(Origin origin) : InstanceOperations(origin);

internal static class WorkerSetup
{
    [WorkerServices]
    internal static void Configure(IServiceCollection services, WorkerStartup startup) => services.AddSingleton(new Origin($"worker of {startup.Pool}"));
}
