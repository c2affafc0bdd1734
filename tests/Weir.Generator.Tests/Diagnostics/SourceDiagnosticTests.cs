using System.Globalization;
using Microsoft.CodeAnalysis;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Diagnostics;

/// <summary>An attribute that says where a parameter's value is, where that is impossible.</summary>
public sealed class SourceDiagnosticTests
{
    private const string Head =
        """
        using System.Security.Claims; using System.IO; using System.IO.Pipelines; using Microsoft.AspNetCore.Http; using Microsoft.AspNetCore.Mvc; using Microsoft.AspNetCore.Mvc.ModelBinding;
        using Microsoft.Extensions.DependencyInjection; using Microsoft.Extensions.Logging; using Weir; using ServiceAttribute = Weir.ServiceAttribute;
        namespace Sample {

        """;

    public static TheoryData<string, string> Errors { get; } = new()
    {
        { "public record P(int X); [Service] public class S { public void M([FromQuery] P {|WEIR1001:p|}, [FromHeader] P[] {|WEIR1001:q|}, [FromForm] P r) { } }", "it is P, and [FromQuery] reads numbers, text and lists of them" },
        { "[Service] public class S { [Get(\"{id}\")] public void M([FromRoute] int[] {|WEIR1001:ids|}, int id) { } }", "it is int[], which a path cannot express" },
        { "[Service] public class S { public void M([FromQuery, FromHeader] int {|WEIR1001:x|}) { } }", "it has [FromQuery] and [FromHeader], and a value has one source; remove one" },
        { "[Service] public class S { public void M([FromHeader(Name = \"X Y\")] int {|WEIR1001:x|}, [FromQuery(Name = \"\")] int {|WEIR1001:y|}) { } }", "'X Y' cannot be the name of a header" },
        { "[Service] public class S { public void M([FromQuery(Name = \"b\")] int a, int {|WEIR1001:b|}, [FromHeader(Name = \"h\")] int c, [FromHeader(Name = \"H\")] int {|WEIR1001:d|}, [FromHeader] int b2, [FromForm(Name = \"B\")] int {|WEIR1001:e|}) { } }", "callers would write 'b' for 'a' too; rename one" },
        { "public record P(int X); [Service] public class S { public void M([FromBody] P p, [FromBody] int {|WEIR1001:q|}, P {|WEIR1001:r|}) { } }", "'p' is the request's body already; take a record with both" },
        { "public record P(int X); [Service] public class S { public void M([FromForm] int a, P {|WEIR1001:b|}, byte[] {|WEIR1001:c|}) { } }", "it is the request's body, which is a form because of 'a'" },
        { "[Service] public class S { [Get] public void M([FromBody] int {|WEIR1001:a|}) { } [Get] public void N([FromForm] int {|WEIR1001:a|}) { } }", "it is marked [FromBody], and a GET request has no body" },
        { "[Service] public class S { public void M([FromBody(EmptyBodyBehavior = EmptyBodyBehavior.Allow)] string {|WEIR1001:a|}) { } public void N([FromBody(EmptyBodyBehavior = EmptyBodyBehavior.Disallow)] string? {|WEIR1001:a|}) { } }", "[FromBody] lets the body be empty, and string cannot be null; write string?" },
        { "[Service] public class S { [{|WEIR1023:Get(\"{id}\")|}] public void M([FromQuery] int id) { } }", "'id' is marked [FromQuery], so the path does not supply it" },
        { "[Service] public class S { [{|WEIR1023:Get(\"{id}\")|}] public void M([FromRoute(Name = \"key\")] int id) { } }", "no parameter of the method is named 'id'" },
        { "[Service] public interface IFoo { Task M([FromQuery] int x); } [Service] public class Foo : IFoo { public Task M([{|WEIR1008:FromHeader|}] int x) => Task.CompletedTask; }", "[FromHeader] has no meaning here: put it on the parameter of the interface's method" },
        { "public record P([{|WEIR1017:FromHeader|}] string Name); [Service] public class S { public void M(P p) { } }", "it is a member of a JSON object, which has one source" },

        // What only a request has.
        { "[Service, Isolated] public class S { public void M(HttpContext {|WEIR1035:a|}, HttpRequest {|WEIR1035:b|}, HttpResponse {|WEIR1035:c|}, ClaimsPrincipal d) { } }", "S/M runs in a worker, and the parameter 'c' (HttpResponse) exists only in the host: set OperationContext.StatusCode and Headers" },
        { "[Service] public interface IFoo { Task M(HttpContext {|WEIR1001:http|}, TimeProvider {|WEIR1001:time|}); } [Service] public class Foo : IFoo { public Task M(HttpContext http, TimeProvider time) => Task.CompletedTask; }", "callers of an interface cannot supply it" },
        { "[Service] public interface IFoo { Task M(); } [Service(typeof(IFoo))] public class Foo { public void M(HttpContext {|WEIR1001:http|}) { } }", "a call of IFoo from code has no HttpContext; take OperationContext" },
        { "[Service] public interface IFoo { [Job] Task M(int x); } [Service(typeof(IFoo))] public class Foo { public void M(int x, ClaimsPrincipal {|WEIR1054:user|}) { } }", "its parameter 'user' (ClaimsPrincipal) is the caller of a direct call, which is not stored with a job" },
        { "[Service] public interface IFoo { [{|WEIR1054:Job|}] Task M(ClaimsPrincipal user); } [Service(typeof(IFoo))] public class Foo { public void M(ClaimsPrincipal user) { } }", "is not stored with a job; take what it needs of it as values, such as string user, or remove [Job]" },
        { "[Service] public class S { public void M(ILogger {|WEIR1001:log|}) { } }", "it has no category, so no container supplies it; take ILogger<S>" },
        { "[Service, Isolated] public class {|WEIR1009:S|} { public void M(ILogger<S> log) { } }", "needs Microsoft.Extensions.Logging.ILogger<Sample.S>: write 'internal static void Configure(IServiceCollection services, WorkerStartup startup)' marked [WorkerServices] in this assembly; the method may be empty" },
        { "public class P(TimeProvider time) { public long X => time.GetTimestamp(); } [Service] public class S { public void M(P {|WEIR1001:p|}) { } }", "or mark it [FromServices], if the container supplies it" },
        { "[Service] public class S { [Isolated] public void A(Stream x, [FromQuery] int y) { } [Isolated] public IResult {|WEIR1035:C|}() => null!; [Isolated] public Task<Stream> D() => null!; }", "S/C runs in a worker, and its result (IResult) exists only in the host: return the value, or the content as Stream" },
        { "[Service, Isolated] public class S { public void A(IFormFileCollection {|WEIR1035:f|}) { } public void B(IFormCollection {|WEIR1035:f|}) { } }", "S/A runs in a worker, and the parameter 'f' (IFormFileCollection) exists only in the host: take IReadOnlyList<IFormFile>, which arrives file by file" },
        { "[Service, Isolated] public class S { public void A(IFormFile {|WEIR1001:f|}, IFormFile {|WEIR1001:g|}) { } }", "'g' cannot be bound: a worker receives one stream of bytes or files with a call, and that is 'f'; take all files as one IReadOnlyList<IFormFile>" },
        { "[Service, Isolated] public class S { public void A(IFormFile {|WEIR1001:f|}) { } }", "'f' cannot be bound: files reach a worker through Weir.AspNetCore, which" },
        { "[Service] public interface IFoo { Task<IResult> {|WEIR1002:M|}(); Task<Stream> N(Stream s); } [Service] public class Foo : IFoo { public Task<IResult> M() => null!; public Task<Stream> N(Stream s) => null!; }", "writes an HTTP response, and callers of an interface have none" },
        { "public record P(int X); [Service] public class S { public void M(Stream s, P {|WEIR1001:p|}, byte[] {|WEIR1001:b|}, [FromForm] int {|WEIR1001:f|}, IFormFile {|WEIR1001:g|}, int n) { } [Get] public void N(PipeReader {|WEIR1001:r|}) { } public void O(Stream? {|WEIR1001:s|}) { } public void Q([FromQuery] Stream {|WEIR1001:s|}) { } public void R(IFormFile f, P {|WEIR1001:p|}) { } }", "it needs the request's body, which is 's'" },
        { "public class P { public int X { get; } } public record Q(int A) { public int B { get; set; } } public record R([AsParameters] Q Inner); [Service] public class S { public void A([AsParameters] P {|WEIR1001:p|}, [AsParameters] Q {|WEIR1001:q|}) { } public void B([AsParameters] R {|WEIR1001:r|}) { } public void C([AsParameters] IServiceProvider {|WEIR1001:s|}) { } }", "[AsParameters] binds what the constructor of Q takes, and would leave B unset" },
        { "public class P { P() { } public int X { get; set; } } public class Q { public Q(int a) { } public Q(string b) { } } public class R { public int X { get; } } public record N(int A); public class O { [AsParameters] public N Inner { get; set; } = null!; } [Service] public class S { public void A([AsParameters] P {|WEIR1001:p|}, [AsParameters] Q {|WEIR1001:q|}, [AsParameters] R {|WEIR1001:r|}, [AsParameters] O {|WEIR1001:o|}) { } }", "R has no property that can be set; write record R(…) with what callers send" },
        { "public record P(int A); public record Q(int A, P {|WEIR1001:B|}); public class R : System.ComponentModel.DataAnnotations.IValidatableObject { public int A { get; set; } public IEnumerable<System.ComponentModel.DataAnnotations.ValidationResult> Validate(System.ComponentModel.DataAnnotations.ValidationContext c) => []; } [Service] public class S { public void A([FromForm(Name = \"p\")] P {|WEIR1001:p|}, [FromForm] P? {|WEIR1001:n|}, [AsParameters] R {|WEIR1001:r|}) { } public void C([FromForm] Q q) { } }", "what validates R as a whole would not run" },
        { "public record I(int X); public record O([FromForm] I Inner, int B); public record P([property: FromQuery] int A); public class R { internal required int X { get; set; } public int Y { get; set; } } [Service] public class S { public void A([AsParameters] O {|WEIR1001:o|}) { } public void B([FromForm] O {|WEIR1001:o|}) { } public void C([AsParameters] P {|WEIR1001:p|}) { } public void D([AsParameters] R {|WEIR1001:r|}) { } public void E([AsParameters, System.ComponentModel.DataAnnotations.Range(1, 2)] I {|WEIR1001:i|}) { } }", "[FromQuery] is on the property A, and the parameter of the constructor is bound" },
        { "public class Q(int a) { public required int A { get; set; } = a; } [Service] public class S { public void M([AsParameters] Q {|WEIR1001:q|}) { } }", "A is required and also a parameter of the constructor; remove 'required', or mark the constructor [SetsRequiredMembers]" },
        { "public record Q(int A); [Service] public interface IFoo { Task M([AsParameters] Q {|WEIR1001:q|}); } [Service] public class Foo : IFoo { public Task M(Q q) => Task.CompletedTask; }", "[AsParameters] is for methods of classes" },
        { "public record Q(int A, HttpContext {|WEIR1035:Http|}); [Service, Isolated] public class S { public void M([AsParameters] Q q) { } }", "the parameter 'Http' (HttpContext) exists only in the host" },
        { "public interface IA { } [Service] public class S { public void M([FromBody] IA {|WEIR1001:p|}) { } }", "an interface; use a class" },
    };

    public static TheoryData<string> Right { get; } = new()
    {
        "[Service] public class S { [Isolated] public int A(int x, ClaimsPrincipal user, OperationContext context) => x; [Blocking] public void B(ClaimsPrincipal call, string ct, string? t = null) { } [Get] public string C(ClaimsPrincipal? user = null) => \"\"; public int D(HttpContext http, ClaimsPrincipal user) => 5; } public class T(ISClient client, ClaimsPrincipal some) { public ValueTask<int> M() => client.A(5, some); public ValueTask N() => client.B(\"\", call: some); public ValueTask<string> O() => client.C(); }",
        "public record Q(int Size, ClaimsPrincipal User) { } [Service] public class S { [Isolated] public int M([AsParameters] Q q) => q.Size; } public class T(ISClient client, ClaimsPrincipal some) { public ValueTask<int> M() => client.M(5, some); }",
        "[Service] public interface IFoo { Task<int> M(int x, ClaimsPrincipal? user = null, CancellationToken token = default); Task N(ClaimsPrincipal call); IAsyncEnumerable<int> P(ClaimsPrincipal user); } [Service, Isolated] public class Foo : IFoo { public Task<int> M(int x, ClaimsPrincipal? user, CancellationToken token) => null!; public Task N(ClaimsPrincipal call) => null!; public IAsyncEnumerable<int> P(ClaimsPrincipal user) => null!; }",
        "[Service] public interface IFoo { Task M(int x); } [Service(typeof(IFoo)), Isolated] public class Foo { public void M(int x, ClaimsPrincipal user) { } }",
        "public readonly record struct Money(int Cents) { public static implicit operator Money(int cents) => new(cents); public static bool TryParse(string? text, out Money money) { money = default; return true; } } public class Q { public int? Page { get; set; } = null; public DateOnly? Day { get; set; } = DateOnly.MinValue; public string Name { get; set; } = null!; public Money Min { get; set; } = 0; public Guid Id { get; set; } = Guid.NewGuid(); } [Service] public class S { public void M([AsParameters] Q q) { } }",
        "public record Line([property: System.ComponentModel.DataAnnotations.Range(1, 9)] int N); public record Order(System.Collections.Immutable.ImmutableArray<Line> A, System.Collections.Immutable.ImmutableArray<Line> B, Corner? C, Corner? D); public record struct Corner([property: System.ComponentModel.DataAnnotations.Range(1, 9)] int X); [Service] public class S { public void M(Order order) { } }",
        "public class Base { [FromHeader(Name = \"X-Page\")] public int Page { get; set; } = 1; } public class Search : Base { [FromQuery(Name = \"q\")] public required string Text { get; init; } public string[] Tags { get; set; } = []; public DateTime Since { get; set; } = DateTime.UnixEpoch; public TimeProvider Time { get; set; } = null!; public CancellationToken Token { get; set; } public Guid? Id { get; set; } } public struct Range { public int First { get; set; } public int Last { get; set; } } [Service] public class S { [Get] public int M([AsParameters] Search search, [AsParameters] Range range) => search.Page + range.First; } public class T(ISClient client) { public ValueTask<int> N() => client.M(\"a\", [], default, null, 2, 3, 4); }",
        "public readonly record struct Search([FromQuery(Name = \"q\")] string Text, [FromHeader] int[] Pages, TimeProvider Time, HttpContext Http, CancellationToken Token, int Size = 10); public record P(int X); [Service] public class S { public int M([AsParameters] Search search, P p, int y) => search.Size + p.X + y; [Isolated] public int N([AsParameters] P p) => p.X; } public class T(ISClient client) { public ValueTask<int> N() => client.N(5); }",
        "[Service] public class S { public Task<Stream> A(Stream s, int x) => null!; public PipeReader B([FromBody] PipeReader r) => r; public void C(IFormFile f, [FromForm(Name = \"g\")] IFormFile? h, IFormFileCollection all, int x, CancellationToken t) { } public IAsyncEnumerable<byte[]> D(IFormCollection form) => null!; } public class T(ISClient client) { public ValueTask<Stream> M(Stream s) => client.A(s, 5); }",
        "[Service, Isolated] public class S { public Task<Stream> A(Stream s, [FromQuery] int x) => null!; public PipeReader B(PipeReader r) => r; public Stream C() => Stream.Null; } public class T(ISClient client) { public ValueTask<Stream> M(Stream s) => client.A(s, 5); }",
        "[Service] public class S { [Blocking] public Microsoft.AspNetCore.Http.HttpResults.Results<Microsoft.AspNetCore.Http.HttpResults.Ok<int>, Microsoft.AspNetCore.Http.HttpResults.NotFound> A() => TypedResults.Ok(1); public async Task<IResult> B() { await Task.Yield(); return TypedResults.Ok(); } public Microsoft.AspNetCore.Http.HttpResults.Ok C() => TypedResults.Ok(); }",
        "public interface IA { } public abstract class B { } [Service] public class S { [Get] public void M(IA a, B b, TimeProvider time, ILogger<S> log, HttpContext c, HttpRequest r, HttpResponse s, ClaimsPrincipal p, IA? none = null) { } public void N(int x) { } } public class T(ISClient client) { public ValueTask M() => client.N(5); }",
        "[Service] public class S { [Isolated] public void M(ILogger<S> log) { } } public static class W { [WorkerServices] internal static void Configure(IServiceCollection services, WorkerStartup startup) { } }",
        "[Service] public class S { [Get(\"{id}\")] public void M([FromRoute] int id, [FromQuery(Name = \"id\")] int? other, [FromHeader(Name = \"id\")] string[] third) { } }",
        "[Service] public class S { [Get(\"{key}\")] public void M([FromRoute(Name = \"key\")] int id) { } public Task N([FromBody] IAsyncEnumerable<int> items, [FromHeader] string tenant) => null!; }",
        "public record P(int X); [Service] public class S { public void M([FromBody] P? p, [FromServices] IServiceProvider services) { } public void N([FromBody(EmptyBodyBehavior = EmptyBodyBehavior.Default)] int x) { } }",
        "[Service] public interface IFoo { Task<int> M([FromQuery(Name = \"q\")] int x); } [Service(typeof(IFoo))] public class Foo([FromKeyedServices(5)] IComparable other) { public int M(int x, [FromKeyedServices(\"a\")] IComparable c) => c.CompareTo(other); }",
    };

    [Theory]
    [MemberData(nameof(Errors))]
    public void An_impossible_source_is_an_error_where_it_stands(string markup, string message)
    {
        AssertReported(markup, message);
    }

    [Theory]
    [MemberData(nameof(Right))]
    public void A_possible_one_compiles(string source)
    {
        var output = Driver.Run(Driver.Library(Head + source + " }"));
        Assert.Empty(output.Reported);
        Assert.Empty(output.Compiled);
    }

    private static void AssertReported(string marked, string message)
    {
        var markup = Markup.Parse(Head + marked + " }");
        var output = Driver.Run(Driver.Library(markup.Source));
        Assert.Equal(
            markup.Places.OrderBy(static one => one.Span.Start),
            output.Reported.Select(static one => (one.Id, one.Location.SourceSpan)).OrderBy(static one => one.SourceSpan.Start));
        Assert.Contains(output.Reported, one => one.GetMessage(CultureInfo.InvariantCulture).Contains(message, StringComparison.Ordinal));
    }
}
