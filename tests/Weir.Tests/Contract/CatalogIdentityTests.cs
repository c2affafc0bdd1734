using System.Globalization;
using Weir.Runtime;

namespace Weir.Tests.Contract;

public sealed class CatalogIdentityTests
{
    [Theory]
    [InlineData("00000000-0000-0000-0000-000000000000")]
    [InlineData("0f8fad5b-d9cb-469f-a165-70867728950e")]
    [InlineData("ffffffff-ffff-ffff-ffff-ffffffffffff")]
    public void An_identity_is_the_assembly_and_its_build(string build)
    {
        var id = Guid.Parse(build, CultureInfo.InvariantCulture);
        Assert.Equal($"App:{id:N};Lib:{id:N}", CatalogIdentity.Of([new Named("Lib", id), new Named("App", id)]));
    }

    private sealed class Named(string name, Guid identity) : ServiceCatalog
    {
        public override string AssemblyName => name;

        public override Guid Identity => identity;

        public override IReadOnlyList<Service> Services => [];

        public override IReadOnlyList<Proxy> Proxies => [];
    }
}
