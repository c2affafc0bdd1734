using Microsoft.CodeAnalysis;
using Weir.Generator.Tests.Driving;
using Weir.Runtime;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>Interfaces as contracts: implemented, bridged, inherited, and from another assembly.</summary>
public sealed class ContractTests
{
    private const string Contracts =
        """
        using Weir;
        namespace Contracts;

        public interface IRoot : IDisposable
        {
            [Get] Task<int> Root(int x = 3);
        }

        [Service]
        public interface ICalculator : IRoot, IAsyncDisposable
        {
            [Operation("sum")] ValueTask<int> Add(int left, int right = 2, CancellationToken ct = default);
            Task Nothing();
            ValueTask Forget(string? text, CancellationToken token);
            [Stream(Flush = FlushPolicy.Item)] IAsyncEnumerable<string> Words(int count);
            [IgnoreOperation] T Generic<T>(ref T value);
            ValueTask<int> Default(int x) => new(x + 100);
        }
        """;

    private const string Implementation =
        """
        using Weir;
        using Contracts;
        namespace Sample;

        public abstract class Half : ICalculator
        {
            public abstract Task<int> Root(int x);
            [Isolated] public virtual ValueTask<int> Add(int left, int right, CancellationToken ct) => new(left + right);
            Task ICalculator.Nothing() => Task.CompletedTask;
            public ValueTask Forget(string? text, CancellationToken token) => default;
            public async IAsyncEnumerable<string> Words(int count) { await Task.Yield(); yield return $"{count}"; }
            public T Generic<T>(ref T value) => value;
            public void Dispose() { }
            public ValueTask DisposeAsync() => default;
        }

        [Service] public sealed class Calculator : Half { public override Task<int> Root(int x) => Task.FromResult(x * 2); public void Unrouted() { } }
        """;

    private const string Bridge =
        """
        using Weir;
        using Contracts;
        namespace Sample;

        [Service(typeof(ICalculator)), Isolated("numbers")] public sealed class Calculator
        {
            public int Root(int x) => x * 3;
            [Isolated] public int Add([Microsoft.AspNetCore.Mvc.FromServices] IServiceProvider? services, int a, int b) => a + b;
            public void Nothing(OperationContext context) { }
            public async Task Forget(string? text, CancellationToken token) => await Task.Yield();
            public IEnumerable<string> Words(int count) { yield return $"{count}!"; }
            public ValueTask<int> Default(int x) => new(x);
            public int Add(string other) => 0;
        }
        """;

    [Fact]
    public async Task A_class_serves_the_interface_it_implements()
    {
        var served = Served.From(Contracts, Implementation);

        Assert.Equal(["Root", "sum", "Nothing", "Forget", "Words", "Default"], served.Catalog.Services.Single().Operations.Select(static one => one.Name));
        Assert.Equal("Calculator", served.Catalog.Services.Single().Name);
        Assert.Equal(Verbs.Get, served.Operation("Calculator/Root").Verbs);
        Assert.Equal(Placement.Isolated, served.Operation("Calculator/sum").Placement);
        Assert.Equal("6", await served.Respond("Calculator/Root", "{}"));
        Assert.Equal("5", await served.Respond("Calculator/sum", """{"left":3}"""));
        Assert.Equal("105", await served.Respond("Calculator/Default", """{"x":5}"""));
        Assert.Equal("", await served.Respond("Calculator/Nothing", "{}"));
        Assert.Equal(FlushPolicy.Item, served.Operation("Calculator/Words").Flush);
    }

    [Fact]
    public async Task A_proxy_implements_all_of_the_interface_and_refuses_what_is_no_operation()
    {
        var served = Served.From(Contracts, Implementation);
        var invoker = new LocalInvoker(NoServices.Instance);
        var proxy = served.Catalog.Proxies.Single();
        dynamic calculator = new Caller(proxy.Create(invoker), proxy.Contract);

        Assert.Equal(8, await (Task<int>)calculator.Call("Root", 4));
        Assert.Equal(3, await (ValueTask<int>)calculator.Call("Add", 1, 2, CancellationToken.None));
        await (Task)calculator.Call("Nothing");
        Assert.Equal(["2"], await ((IAsyncEnumerable<string>)calculator.Call("Words", 2)).ToListAsync(TestContext.Current.CancellationToken));
        await using ((IAsyncDisposable)proxy.Create(invoker))
        {
            ((IDisposable)proxy.Create(invoker)).Dispose();
        }

        var generic = proxy.Contract.GetMethod("Generic")!.MakeGenericMethod(typeof(int));
        var error = Assert.Throws<System.Reflection.TargetInvocationException>(() => generic.Invoke(proxy.Create(invoker), [1]));
        Assert.IsType<NotSupportedException>(error.InnerException);
    }

    [Fact]
    public async Task A_synchronous_class_answers_for_the_interface_it_names()
    {
        var served = Served.From(Contracts, Bridge);

        Assert.Equal("9", await served.Respond("Calculator/Root", "{}"));
        Assert.Equal("5", await served.Respond("Calculator/sum", """{"left":3}"""));
        Assert.Equal("", await served.Respond("Calculator/Nothing", "{}"));
        Assert.Equal("", await served.Respond("Calculator/Forget", "{}"));
        Assert.Equal("numbers", served.Operation("Calculator/Root").Pool);
        Assert.Equal("Calculator", served.Operation("Calculator/sum").Pool);
        Assert.True(served.Operation("Calculator/Root").IsSynchronous);
        Assert.False(served.Operation("Calculator/Forget").IsSynchronous);
        var words = (StreamCall)await served.Run(served.Json("Calculator/Words", """{"count":1}"""));
        Assert.NotNull(words.BlockingSource);
    }

    [Fact]
    public void The_interface_may_live_in_another_assembly()
    {
        var contracts = Driver.Run(Driver.Compilation("Contracts", OutputKind.DynamicallyLinkedLibrary, [], Contracts));
        Assert.Empty(contracts.Reported);
        Assert.Empty(contracts.Compiled);
        Assert.Equal(["Microsoft.CodeAnalysis.EmbeddedAttribute.cs", "Contracts.g.cs"], contracts.Result.GeneratedSources.Select(static one => one.HintName));

        foreach (var source in new[] { Implementation, Bridge })
        {
            var output = Driver.Run(Driver.Compilation("Sample", OutputKind.DynamicallyLinkedLibrary, [contracts.Reference()], source));
            Assert.Empty(output.Reported);
            Assert.Empty(output.Compiled);
            Assert.Contains(": global::Contracts.ICalculator", output.Text("Service.Calculator.g.cs"), StringComparison.Ordinal);
        }
    }

    [Fact]
    public void A_contract_built_for_the_old_framework_is_understood()
    {
        var contracts = Driver.OldFramework("""
            using System; using System.Threading; using System.Threading.Tasks; using System.Collections.Generic; using Weir;
            namespace Contracts {
                public sealed class Customer { public string Name { get; set; } }
                [Service] public interface ICustomers { [Get] Task<Customer> Find(string name, CancellationToken ct = default(CancellationToken)); IAsyncEnumerable<Customer> All(); }
            }
            """);
        Assert.Empty(contracts.Reported);
        Assert.Equal(["Microsoft.CodeAnalysis.EmbeddedAttribute.cs", "Contracts.g.cs"], contracts.Result.GeneratedSources.Select(static one => one.HintName));

        var output = Driver.Run(Driver.Compilation("Sample", OutputKind.DynamicallyLinkedLibrary, [contracts.Reference()], """
            using Weir; using Contracts;
            [Service] public sealed class Customers : ICustomers
            {
                public Task<Customer> Find(string name, CancellationToken ct) => Task.FromResult(new Customer { Name = name });
                public async IAsyncEnumerable<Customer> All() { await Task.Yield(); yield return new Customer(); }
            }
            """));
        Assert.Empty(output.Reported);
        Assert.Empty(output.Compiled);
    }

    [Fact]
    public void A_class_cannot_be_served_from_an_assembly_for_the_old_framework()
    {
        var output = Driver.OldFramework("using Weir; [Service] public sealed class Clock { public int Ticks() { return 1; } }");

        Assert.Equal(["WEIR1010"], output.Reported.Select(static one => one.Id));
        Assert.Equal(["Microsoft.CodeAnalysis.EmbeddedAttribute.cs"], output.Result.GeneratedSources.Select(static one => one.HintName));
    }

    [Fact]
    public async Task An_interface_without_a_class_is_served_by_workers_in_another_language()
    {
        var served = Served.From("""
            using Weir;
            namespace Sample;

            public sealed record Point(int X, int Y);

            [Service("Geo"), Isolated("python")]
            public interface IGeometry : IAsyncDisposable
            {
                [Post] ValueTask<Point> Mirror(Point point, bool twice = false, CancellationToken ct = default);
                IAsyncEnumerable<byte[]> Tiles(ReadOnlyMemory<byte> map);
                Task Forget();
            }

            [Service, Isolated]
            internal interface ISmall { ValueTask<int> One(); }

            public sealed class Fake : IGeometry
            {
                public bool IsCalled { get; private set; }
                public ValueTask<Point> Mirror(Point point, bool twice, CancellationToken ct) => new(point);
                public async IAsyncEnumerable<byte[]> Tiles(ReadOnlyMemory<byte> map) { await Task.CompletedTask; yield return map.ToArray(); }
                public Task Forget() { IsCalled = true; return Task.CompletedTask; }
                public ValueTask DisposeAsync() => default;
            }
            """);

        var service = served.Catalog.Services.Single(static one => one.Name == "Geo");
        Assert.True(service.IsForeign);
        Assert.Equal("Sample.IGeometry", service.TypeName);
        Assert.Equal(["Mirror", "Tiles", "Forget"], service.Operations.Select(static one => one.Name));
        Assert.All(service.Operations, static one => Assert.Equal((Placement.Isolated, "python", false), (one.Placement, one.Pool, one.IsSynchronous)));
        Assert.Equal("Small", served.Operation("Small/One").Pool);
        Assert.Equal("""{"point":{"x":1,"y":2},"twice":false}""", served.Json("Geo/Mirror", """{"point":{"x":1,"y":2}}""").Good().Values);
        Assert.Equal(ResultKind.Stream, served.Operation("Geo/Tiles").ResultKind);
        Assert.Equal(["Sample.IGeometry", "Sample.ISmall"], served.Catalog.Proxies.Select(static one => one.Contract.FullName).Order());

        // An attempt to run it here fails with the reason.
        var error = Assert.Throws<NotSupportedException>(() => service.CreateInstance(NoServices.Instance));
        Assert.Contains("Sample.IGeometry is served by workers in another language", error.Message, StringComparison.Ordinal);

        // An implementation that an application registers runs it.
        var type = service.ContractType!().Assembly.GetType("Sample.Fake")!;
        var fake = Activator.CreateInstance(type)!;
        await served.Create("Geo/Forget").InvokeAsync(fake, CancellationToken.None);
        Assert.Equal(true, type.GetProperty("IsCalled")!.GetValue(fake));
    }

    private sealed class Caller(object target, Type contract)
    {
        public object? Call(string method, params object?[] arguments) =>
            contract.GetInterfaces().Append(contract).Select(one => one.GetMethod(method)).Single(static one => one is not null)!.Invoke(target, arguments);
    }
}
