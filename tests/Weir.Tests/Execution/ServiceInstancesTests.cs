using Microsoft.Extensions.DependencyInjection;
using Weir.Execution.Pipeline;

namespace Weir.Tests.Execution;

public sealed class ServiceInstancesTests
{
    private readonly ServiceCollection _services = [];
    private readonly ContractRegistrations _registrations;
    private readonly Service _service = new()
    {
        Name = "Clock",
        TypeName = "Clock",
        ClassType = static () => typeof(Clock),
        ContractType = static () => typeof(IClock),
        CreateInstance = static _ => new Clock(),
        Operations = [],
    };

    public ServiceInstancesTests() => _registrations = new ContractRegistrations(_services);

    private interface IClock;

    [Fact]
    public void Each_call_has_an_instance_of_its_own_that_the_caller_disposes()
    {
        AddProxy();
        var (instances, provider) = Build();

        var first = instances.Get(_service, provider, out var isOwned);
        Assert.True(isOwned);
        Assert.IsType<Clock>(first);
        Assert.NotSame(first, instances.Get(_service, provider, out _));
        Assert.False(instances.NeedsServices(_service));
        Assert.False(instances.IsReplaced(_service));
    }

    [Fact]
    public void A_class_that_is_registered_has_the_lifetime_of_its_registration()
    {
        AddProxy();
        _services.AddScoped<Clock>();
        var (instances, provider) = Build();
        using var scope = provider.CreateScope();

        var first = instances.Get(_service, scope.ServiceProvider, out var isOwned);
        Assert.False(isOwned);
        Assert.Same(first, instances.Get(_service, scope.ServiceProvider, out _));
        Assert.NotSame(first, instances.Get(_service, provider.CreateScope().ServiceProvider, out _));
        Assert.True(instances.NeedsServices(_service));
        Assert.False(instances.IsReplaced(_service));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void An_implementation_that_the_application_registers_replaces_the_class(bool before)
    {
        var fake = new FakeClock();
        if (before)
        {
            _services.AddSingleton<IClock>(fake);
        }

        AddProxy();
        if (!before)
        {
            _services.AddSingleton<IClock>(fake);
        }

        var (instances, provider) = Build();
        Assert.True(instances.IsReplaced(_service));
        Assert.Same(fake, instances.Get(_service, provider, out var isOwned));
        Assert.False(isOwned);
    }

    [Fact]
    public void A_registration_that_is_replaced_and_removed_again_leaves_the_class()
    {
        AddProxy();
        var fake = ServiceDescriptor.Singleton<IClock>(new FakeClock());
        ((IServiceCollection)_services).Add(fake);
        _services.Remove(fake);

        Assert.False(Build().Instances.IsReplaced(_service));
    }

    private void AddProxy() => _registrations.AddProxies([new Weir.Runtime.Proxy(typeof(IClock), static _ => new Proxy())]);

    private (ServiceInstances Instances, ServiceProvider Provider) Build() =>
        (ServiceInstances.Of([_service], _registrations), _services.BuildServiceProvider());

    private sealed class Clock : IClock;

    private sealed class FakeClock : IClock;

    private sealed class Proxy : IClock;
}
