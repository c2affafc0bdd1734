namespace Weir.IntegrationTests.Services;

/// <summary>A contract that one mapped service has.</summary>
[Service, Get]
public interface ISelected
{
    Task<string> Hello();

    [Post] Task<string> Change();
}

/// <summary>Its class.</summary>
[Service]
public sealed class Selected : ISelected
{
    public Task<string> Hello() => Task.FromResult("selected");

    public Task<string> Change() => Task.FromResult("changed");
}

/// <summary>Called by injection only.</summary>
[Service(Http = false)]
public sealed class InternalOnly
{
    public string Hello() => "inside";
}
