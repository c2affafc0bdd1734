using Microsoft.AspNetCore.Authorization;
using Microsoft.AspNetCore.Cors;
using Microsoft.AspNetCore.RateLimiting;
using Microsoft.CodeAnalysis;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Services;

/// <summary>The attributes of contract, class and methods are the endpoint metadata of an operation, the nearest last.</summary>
public sealed class PolicyTests
{
    private const string Head = "using Microsoft.AspNetCore.Authorization; using Microsoft.AspNetCore.Cors; using Microsoft.AspNetCore.RateLimiting; using Weir;\n";

    // What an attribute was given is all that its twin in generated code has to repeat.
    private const string Recorder =
        """
        public enum Tone : byte { Low = 1, High = 200 }
        [AttributeUsage(AttributeTargets.All, AllowMultiple = true)]
        public sealed class NoteAttribute : Attribute
        {
            public NoteAttribute() => Said = "nothing";
            public NoteAttribute(string? text, params int[] numbers) => Said = $"{text ?? "null"}[{string.Join(',', numbers)}]";
            public NoteAttribute(object? value) => Said = value is System.Collections.IEnumerable many and not string ? "object " + string.Join('|', many.Cast<object?>().Select(x => x ?? "null")) : $"object {value ?? "null"} {value?.GetType().Name}";
            public NoteAttribute(int value) => Said = $"int {value}";
            public NoteAttribute(Type? type, Tone tone, byte small = 7, double wide = double.NaN, char sign = '\'', bool on = true) => Said = FormattableString.Invariant($"{type?.ToString() ?? "null"} {tone} {small} {wide} {sign} {on}");
            public string Said { get; }
            public string? Text { get; set; }
            public long Number { get; init; }
            public Tone[]? Tones { get; set; }
            public Type? @class;
            public override string ToString() => Said + (Text is null ? "" : " " + Text) + (Number == 0 ? "" : " " + Number.ToString(System.Globalization.CultureInfo.InvariantCulture)) + (Tones is null ? "" : " " + string.Join('+', Tones)) + (@class is null ? "" : " " + @class);
        }
        """;

    [Fact]
    public void An_attribute_is_constructed_as_it_was_written()
    {
        var metadata = Metadata("S/M", """
            [Service] public class S
            {
                [Note, Note("a\"\n{0}"), Note(null!, 1, 2), Note((object)5), Note(5), Note((object)"x"), Note(new object[] { 1, "b", null! })]
                [Note(typeof(Dictionary<,>), Tone.High), Note(null, (Tone)9, 255, -1.5, 'x', false), Note(typeof(int[]), Tone.Low, wide: double.PositiveInfinity), Note(typeof(int?), Tone.Low)]
                [Note(Text = "t", Number = long.MinValue, Tones = new[] { Tone.Low, Tone.High }, @class = typeof(List<string?>))]
                public void M() { }
            }
            """ + Recorder);

        Assert.Equal(
            [
                "nothing", "a\"\n{0}[]", "null[1,2]", "object 5 Int32", "int 5", "object x String", "object 1|b|null",
                "System.Collections.Generic.Dictionary`2[TKey,TValue] High 7 NaN ' True", "null 9 255 -1.5 x False", "System.Int32[] Low 7 Infinity ' True",
                "System.Nullable`1[System.Int32] Low 7 NaN ' True",
                "nothing t -9223372036854775808 Low+High System.Collections.Generic.List`1[System.String]",
            ],
            metadata.Select(static one => one.ToString()));
    }

    [Fact]
    public void Policies_of_the_framework_keep_their_arguments()
    {
        var metadata = Metadata("S/M", """
            [Service, Authorize("users"), EnableCors("site")] public class S
            {
                [Authorize("admin", Roles = "a,b", AuthenticationSchemes = "key"), EnableRateLimiting("few")] public void M() { }
                public void N() { }
            }
            """);

        Assert.Equal(["users", "admin"], metadata.OfType<AuthorizeAttribute>().Select(static one => one.Policy));
        var admin = metadata.OfType<AuthorizeAttribute>().Last();
        Assert.Equal(("a,b", "key"), (admin.Roles, admin.AuthenticationSchemes));
        Assert.Equal("site", Assert.Single(metadata.OfType<EnableCorsAttribute>()).PolicyName);
        Assert.Equal("few", Assert.Single(metadata.OfType<EnableRateLimitingAttribute>()).PolicyName);
    }

    [Fact]
    public void The_nearest_comes_last()
    {
        const string Source = """
            public interface IFarthest { [Note("no operation of it inherits")] Task Far(); }
            [Note("contract"), Service] public interface IFoo : IFarthest { [Note("contract method")] Task M(); }
            [Note("base class")] public abstract class Base { [Note("base method")] public virtual Task M() => Task.CompletedTask; }
            [Note("class")] public class Middle : Base { [Note("middle method")] public override Task M() => Task.CompletedTask; }
            [Note("derived"), Service] public class Foo : Middle, IFoo { [Note("method")] public override Task M() => Task.CompletedTask; public Task Far() => M(); }
            """;

        Assert.Equal(
            ["contract[]", "contract method[]", "base class[]", "class[]", "derived[]", "base method[]", "middle method[]", "method[]"],
            Metadata("Foo/M", Source + Recorder).Select(static one => one.ToString()));
    }

    [Fact]
    public void Attributes_are_inherited_as_their_usage_says()
    {
        const string Source = """
            [AttributeUsage(AttributeTargets.All)] public class OnceAttribute(string x) : Attribute { public override string ToString() => "once " + x; }
            [AttributeUsage(AttributeTargets.All, Inherited = false, AllowMultiple = true)] public class OwnAttribute(string x) : Attribute { public override string ToString() => "own " + x; }
            public class LikeOwnAttribute(string x) : OwnAttribute("like " + x);
            [Once("base"), Own("base"), LikeOwn("base")] public class Base { [Once("base method"), Own("base method")] public virtual void M() { } [Once("n")] public void N() { } }
            [Service, Once("class"), Own("class")] public class S : Base { [Once("method"), LikeOwn("method")] public override void M() { } }
            """;

        Assert.Equal(["once class", "own class", "once method", "own like method"], Metadata("S/M", Source).Select(static one => one.ToString()));
        Assert.Equal(["once class", "own class", "once n"], Metadata("S/N", Source).Select(static one => one.ToString()));
    }

    [Fact]
    public void The_method_that_runs_is_the_one_whose_attributes_count()
    {
        const string Source = """
            [Service] public interface IFoo { [Note("contract")] Task A(); Task B(); [Note("default")] Task C() => Task.CompletedTask; }
            public class Base : IFoo { public virtual Task A() => Task.CompletedTask; Task IFoo.B() => Task.CompletedTask; }
            [Service] public class Foo : Base { [Note("override")] public override Task A() => Task.CompletedTask; }
            [Service] public interface IBar { [Note("contract")] Task<int> M(int x); }
            [Service(typeof(IBar))] public class Bar { [Note("bridge")] public int M(int x) => x; }
            """;

        Assert.Equal(["contract[]", "override[]"], Metadata("Foo/A", Source + Recorder).Select(static one => one.ToString()));
        Assert.Empty(Metadata("Foo/B", Source + Recorder));
        Assert.Equal(["default[]"], Metadata("Foo/C", Source + Recorder).Select(static one => one.ToString()));
        Assert.Equal(["contract[]", "bridge[]"], Metadata("Bar/M", Source + Recorder).Select(static one => one.ToString()));
    }

    [Fact]
    public void What_says_nothing_to_an_endpoint_is_left_out()
    {
        var metadata = Metadata("S/M", """
            [System.Diagnostics.Conditional("NEVER"), AttributeUsage(AttributeTargets.All)] public class SometimesAttribute : Attribute;
            public sealed class FilterAttribute : OperationFilterAttribute { public override ValueTask InvokeAsync(OperationContext context, Func<ValueTask> next) => next(); }
            [Service, Sometimes, System.Diagnostics.DebuggerDisplay("x")] public class S
            {
                [Get, Filter, Idempotent, System.Diagnostics.DebuggerStepThrough, System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining), System.Diagnostics.CodeAnalysis.SuppressMessage("a", "b")]
                public async Task M() => await Task.Yield();
            }
            """);

        Assert.Empty(metadata);
    }

    [Fact]
    public void What_the_class_carries_is_one_object_for_all_operations()
    {
        var served = Served.From(Head + "[Service, Authorize] public class S { public void A() { } [EnableCors] public void B() { } }");
        var shared = served.Catalog.Services.Single().EndpointMetadata!();

        Assert.Null(served.Operation("S/A").EndpointMetadata);
        Assert.Same(Assert.Single(shared), served.Operation("S/B").EndpointMetadata!(shared)[0]);
    }

    [Fact]
    public void A_service_without_attributes_makes_no_metadata()
    {
        var served = Served.From(Head + "[Service] public class S { [Get] public void A() { } }");

        Assert.Null(served.Catalog.Services.Single().EndpointMetadata);
        Assert.Null(served.Operation("S/A").EndpointMetadata);
    }

    [Fact]
    public void A_contract_for_the_old_framework_brings_its_policies()
    {
        var contracts = Driver.OldFramework("""
            using System; using System.Threading.Tasks; using Microsoft.AspNetCore.Authorization; using Weir;
            namespace Contracts {
                [Service] public interface IAccounts { [Authorize("reader", Roles = "a")] Task<int> Balance(); [AllowAnonymous] Task<int> Count(); }
            }
            """);
        Assert.Empty(contracts.Reported);
        var output = Driver.Run(Driver.Compilation("Sample", OutputKind.DynamicallyLinkedLibrary, [contracts.Reference()], """
            using Weir; using Contracts;
            [Service] public sealed class Accounts : IAccounts { public Task<int> Balance() => Task.FromResult(1); public Task<int> Count() => Task.FromResult(1); }
            """));
        Assert.Empty(output.Reported);
        Assert.Empty(output.Compiled);
        Assert.Contains("new global::Microsoft.AspNetCore.Authorization.AuthorizeAttribute(\"reader\") { Roles = \"a\" },", output.Text("Service.Accounts.g.cs"), StringComparison.Ordinal);
        Assert.Contains("new global::Microsoft.AspNetCore.Authorization.AllowAnonymousAttribute(),", output.Text("Service.Accounts.g.cs"), StringComparison.Ordinal);
    }

    [Fact]
    public void An_interface_of_workers_in_another_language_carries_its_policies()
    {
        var metadata = Metadata("Geometry/Mirror", """
            [Service, Isolated("python"), Note("contract")] public interface IGeometry { [Authorize("users"), Note("method")] Task<int> Mirror(int x); }
            """ + Recorder);

        Assert.Equal(["contract[]", "users", "method[]"], metadata.Select(static one => (one as AuthorizeAttribute)?.Policy ?? one.ToString()));
    }

    private static IReadOnlyList<object> Metadata(string operation, string source)
    {
        var found = Served.From(Head + source).Operation(operation);
        var shared = found.Service.EndpointMetadata?.Invoke() ?? [];
        return found.EndpointMetadata?.Invoke(shared) ?? shared;
    }
}
