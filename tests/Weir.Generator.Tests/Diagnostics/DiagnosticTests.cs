using System.Globalization;
using Microsoft.CodeAnalysis;
using Weir.Generator.Tests.Driving;
using Xunit;

namespace Weir.Generator.Tests.Diagnostics;

/// <summary>Every build error is reported where it belongs, with the fix, and not where the code is right.</summary>
public sealed class DiagnosticTests
{
    private const string Head = "using System.Text.Json.Serialization; using System.Threading.Channels; using FromServicesAttribute = Microsoft.AspNetCore.Mvc.FromServicesAttribute; using Microsoft.Extensions.DependencyInjection; using Weir; namespace Sample {\n";

    public static TheoryData<string, string> Wrong { get; } = new()
    {
        // WEIR1001: parameters.
        { "public record Order(Action Extra); [Service] public class S { public void M(int a, Order {|WEIR1001:order|}) { } }", "S/M: the parameter 'order' cannot be bound: Order.Extra is Action, a delegate, which is code and not data" },
        { "public record A(B[] Items); public record B(string Name, List<Dictionary<Action, int>> Maps); [Service] public class S { public void M(A {|WEIR1001:a|}) { } }", "A.Items[].Maps[] is Dictionary<Action, int>, whose key Action is no member name; use text, a number, an enum or a Guid as the key" },
        { "[Service] public class S { public void M(object x, dynamic {|WEIR1001:y|}) { } }", "its type is dynamic" },
        { "[Service] public class S { public void M(ref int {|WEIR1001:x|}, out int {|WEIR1001:y|}, in int {|WEIR1001:z|}) => y = 1; }", "pass it by value" },
        { "[Service] public class S { public void M(ChannelReader<int> {|WEIR1001:x|}, IAsyncEnumerable<int>[] {|WEIR1001:y|}) { } }", "its type is ChannelReader<int>, which cannot be sent to another process; take IAsyncEnumerable<int>" },
        { "public record A(IAsyncEnumerable<int> Inner); [Service] public class S { public Task M(IAsyncEnumerable<A> {|WEIR1001:x|}) => null!; }", "A.Inner is IAsyncEnumerable<int>, a sequence" },
        { "[Service] public class S { public Task M(IAsyncEnumerable<int> x, int y, IAsyncEnumerable<int> {|WEIR1001:z|}) => null!; }", "'x' is the request's body already; take one sequence, of a record with both" },
        { "public record P(int X); [Service] public class S { public Task M(IAsyncEnumerable<int> x, P {|WEIR1001:p|}, byte[] {|WEIR1001:b|}, int[] n) => null!; }", "it needs the request's body, which is the items of 'x'" },
        { "[Service] public interface IFoo { Task A(IAsyncEnumerable<int>? {|WEIR1001:x|}); Task B(IAsyncEnumerable<int> {|WEIR1001:x|} = null!); }", "which always exists and may be empty; remove the '?' and the default" },
        { "[Service] public class S { [Get] public Task M(IAsyncEnumerable<int> {|WEIR1001:x|}) => null!; }", "its items are the request's body, and GET has none; remove [Get]" },
        { "public record P(int X); [Service] public class S { [Get] public void A(P {|WEIR1001:p|}) { } [Get, Post] public void B(P {|WEIR1001:p|}, P {|WEIR1001:q|}, int n) { } [Get] public void C(byte[] b, int[] n) { } [Post, Put] public void D(P p) { } }", "it needs JSON in the request's body, and GET has none; take its members as parameters or mark it [AsParameters], or replace [Get] by [Post]" },
        { "public record P(int X); [Service] public interface IFoo { [Get] Task A(P {|WEIR1001:p|}); [Get] Task B(Dictionary<string, int> {|WEIR1001:p|}); }", "take its members as parameters, or replace [Get] by [Post]" },
        { "[Service] public class S { public int {|WEIR1011:M|}(IAsyncEnumerable<int> x) => 1; [Blocking] public int N(IAsyncEnumerable<int> x) => 1; [Isolated] public int O(IAsyncEnumerable<int> x) => 1; [Stream] public IEnumerable<int> P(IAsyncEnumerable<int> x) => []; }", "S/M: it waits for the items of its request on the thread that calls it; make it asynchronous, or mark it [Blocking]" },
        { "[Service] public class S { public void M(System.IO.TextReader {|WEIR1001:x|}) { } }", "abstract" },
        { "[Service] public class S { public void M(Action {|WEIR1001:x|}, IDisposable y, (int A, int B) {|WEIR1001:z|}, int[,] {|WEIR1001:w|}) { } }", "a delegate" },
        { "[Service] public unsafe class S { public void M(int* {|WEIR1001:x|}) { } }", "a pointer" },
        { "[Service] public class S { public void M(Span<int> {|WEIR1001:x|}) { } }", "a ref struct" },
        { "[Service] public class S { public void M(byte[] a, ReadOnlyMemory<byte> {|WEIR1001:b|}) { } }", "'a' is the request's body already" },
        { "public record P(int X); [Service] public class S { public void M(byte[] a, P {|WEIR1001:b|}) { } }", "needs JSON in the request's body, which is 'a'" },
        { "[Service] public class S { public void M(int a, int {|WEIR1001:A|}) { } }", "in another case" },
        { "public abstract record Shape; [Service] public class S { public void M(Shape[] {|WEIR1001:x|}) { } }", "abstract" },
        { "public class A { public A(int x) { } public int Y { get; } } [Service] public class S { public void M(A {|WEIR1001:x|}) { } }", "whose constructor takes 'x'" },
        { "public class A { private A() { } } [Service] public class S { public void M(A {|WEIR1001:x|}) { } }", "no public constructor" },
        { "public class A { public A(int x) => X = x; public A(long y) => Y = y; public int X { get; } public long Y { get; } } [Service] public class S { public void M(A {|WEIR1001:x|}) { } }", "mark one [JsonConstructor]" },
        { "public struct A { public int X; } [Service] public class S { public void M(A {|WEIR1001:x|}) { } }", "make them properties" },
        // What System.Text.Json would read, write or call.
        { "public class A { public A() { } [JsonConstructor] internal A(int x) => X = x; public int X { get; set; } } [Service] public class S { public void M(A {|WEIR1001:x|}) { } }", "whose [JsonConstructor] is not public" },
        { "public record A(int X, [property: JsonPropertyName(\"x\")] int Y); [Service] public class S { public void M(A {|WEIR1001:x|}) { } }", "names in JSON ignore case" },
        { "public class A : Exception { } [Service] public class S { public void M(A {|WEIR1001:x|}) { } }", "derives from a type of the framework" },
        { "public class A { [JsonIgnore] public required int X { get; set; } } [Service] public class S { public void M(A {|WEIR1001:x|}) { } }", "remove [JsonIgnore]" },
        { "internal class A { internal required int X { get; set; } public int Y { get; set; } } [Service] internal class S { public void M(A {|WEIR1001:x|}) { } }", "A.X is required, and a caller cannot set it; make the property and its setter public, or remove 'required'" },
        { "internal class A { public required int X { get; internal set; } } [Service] internal class S { public A {|WEIR1002:M|}() => null!; }", "A.X is required, and a caller cannot set it" },
        { "internal class A { internal required int X; public int Y { get; set; } } [Service] internal class S { public void M(A {|WEIR1001:x|}) { } }", "make it a public property" },
        { "public class A { [JsonIgnore] public required int X; public int Y { get; set; } } [Service] public class S { public void M(A {|WEIR1001:x|}) { } }", "A.X is ignored, but the object cannot be created without it" },
        { "public enum E { [JsonStringEnumMemberName(\"a\")] First, Other, [JsonStringEnumMemberName(\"a\")] Second } [Service] public class S { public void M(E {|WEIR1001:x|}) { } }", "E.Second is written as \"a\", which is First already; give it another name" },
        { "public enum E { [JsonStringEnumMemberName(\"1st\")] First } [Service] public class S { public void M(E {|WEIR1001:x|}) { } }", "cannot be distinguished from a number" },
        { "[Service] public interface IFoo { Task M(OperationContext {|WEIR1001:context|}, [FromServices] string {|WEIR1001:s|}); }", "callers of an interface cannot supply it" },

        // WEIR1002: results.
        { "[Service] public class S { public Action {|WEIR1002:M|}() => null!; }", "S/M: the result cannot be written: its type is Action" },
        { "[Service] public class S { public Task<System.Collections.Frozen.FrozenDictionary<string, int>> {|WEIR1002:M|}() => null!; }", "a collection that System.Text.Json cannot read" },
        { "public record A(Action X); [Service] public class S { public IAsyncEnumerable<A> {|WEIR1002:M|}() => null!; }", "A.X is Action" },
        { "[Service] public class S { private int _x; public ref int {|WEIR1002:M|}() => ref _x; }", "by reference" },
        { "[Service] public class S { public System.IO.TextReader {|WEIR1002:M|}() => null!; public Task<IAsyncEnumerable<int>> {|WEIR1002:N|}() => null!; }", "" },

        { "[Service] public class S { public IAsyncEnumerable<int>? {|WEIR1002:A|}() => null; public Task? {|WEIR1002:B|}() => null; public Task<int>? {|WEIR1002:C|}() => null; public ChannelReader<int>? {|WEIR1002:D|}() => null; [Stream] public IEnumerable<int>? {|WEIR1002:E|}() => null; public IEnumerable<int>? {|WEIR1002:F|}() => null; public ValueTask<int>? {|WEIR1002:G|}() => null; }", "S/A: the result cannot be written: it is IAsyncEnumerable<int> or null, and null cannot be awaited or enumerated; remove the '?' after IAsyncEnumerable<int>" },
        { "[Service] public interface IFoo { Task<int>? {|WEIR1002:A|}(); }", "it is Task<int> or null" },

        // WEIR1003, WEIR1004.
        { "public record Forecast(int X); [Service] public class S { public IEnumerable<Forecast> {|WEIR1003:Next|}() => []; public Task<IEnumerable<int>> {|WEIR1003:Later|}() => null!; }", "S/Next returns IEnumerable<Forecast>, which blocks its thread while it is enumerated: mark it [Stream] to stream it from the lane, or return Forecast[]" },
        { "[Service] public class S { public Task<IEnumerable<int>> {|WEIR1003:M|}() => null!; }", "S/M returns Task<IEnumerable<int>>, which blocks its thread while it is enumerated: return Task<int[]>, or IAsyncEnumerable<int>" },
        { "[Service] public interface IFoo { string {|WEIR1004:A|}(); void {|WEIR1004:B|}(); [Stream] IEnumerable<int> {|WEIR1004:C|}(); ChannelReader<int> {|WEIR1004:D|}(); } [Service] public class Foo : IFoo { public string A() => null!; public void B() { } public IEnumerable<int> C() => []; public ChannelReader<int> D() => null!; }", "Foo/A returns string and would block the thread of its caller, because the class may run in another process: return ValueTask<string>" },

        // WEIR1005 to WEIR1007: names.
        { "[Service] public class S { public void M(int x) { } public void {|WEIR1005:M|}(string x) { } public void {|WEIR1005:m|}() { } }", "S has two operations named 'M'" },
        { "[Service] public class S { public void A() { } [Operation(\"a\")] public void {|WEIR1005:B|}() { } }", "rename one with [Operation" },
        { "[Service] public class A { } [Service(\"a\")] public class {|WEIR1006:B|} { }", "Sample.A and Sample.B are both the service 'a'" },
        { "[Service] public interface IFoo { } [Service] public class A : IFoo { } [Isolated] public class {|WEIR1007:B|} : IFoo { }", "Sample.A and Sample.B both serve Sample.IFoo" },
        { "public class X { [Service(\"a\")] public class W { } } public class Y { [Service(\"b\")] public class {|WEIR1010:W|} { } }", "its client would be Sample.IWClient" },

        { "[Service, Isolated] public interface {|WEIR1007:IFoo|} { } [Service] public class Foo : IFoo { }", "Sample.Foo and Sample.IFoo both serve Sample.IFoo" },

        // WEIR1008: sides.
        { "[{|WEIR1008:Isolated(\"x\")|}] public interface IFoo { Task A(); }", "IFoo is not marked [Service]" },
        { "public class X { [Service, {|WEIR1010:Isolated|}] private interface IFoo { Task A(); } }", "IFoo cannot be served: generated code cannot access it" },
        { "[Service, Isolated] public interface IFoo { int {|WEIR1004:A|}(); Task B(Action {|WEIR1001:x|}); }", "Foo/A returns int" },
        { "[AttributeUsage(AttributeTargets.All)] public class FAttribute : OperationFilterAttribute { public override ValueTask InvokeAsync(OperationContext c, Func<ValueTask> n) => n(); } [Service, {|WEIR1008:F|}] public interface IFoo { [{|WEIR1008:Isolated|}] Task A(); [{|WEIR1008:Blocking|}] Task B(); [{|WEIR1008:F|}] Task C(); }", "[F] has no meaning here: put it on the class that serves it" },
        { "[Service] public interface IFoo { Task A(int x); } [Service] public class Foo : IFoo { [{|WEIR1008:Get|}, {|WEIR1008:Operation(\"a\")|}] public Task A([{|WEIR1008:FromServices|}] int x) => Task.CompletedTask; }", "[Get] has no meaning here: put it on the method of the interface" },
        { "[Service] public interface IFoo { } [{|WEIR1008:Service(\"other\")|}] public class Foo : IFoo { }", "the interface IFoo" },
        { "[Service] public interface IFoo { Task A(); } [Service, {|WEIR1008:Get|}, {|WEIR1008:Put|}] public class Foo : IFoo { public Task A() => Task.CompletedTask; }", "[Get] has no meaning here: put it on the interface that the class serves" },
        { "[Service(Http = false), {|WEIR1008:Get|}] public class S { public void A() { } [{|WEIR1008:Post|}] public void B() { } }", "[Get] has no meaning here: put it on a service that is served over HTTP" },
        { "[Service(Http = false)] public interface IFoo { [{|WEIR1008:Get|}] Task A(); } [Service] public class Foo : IFoo { public Task A() => Task.CompletedTask; }", "put it on a service that is served over HTTP" },
        { "public record P(int X); [Service, Get] public class S { public void A(P {|WEIR1001:p|}) { } [Post] public void B(P p) { } } [Get] public class Base; [Service] public class T : Base { public void A(P {|WEIR1001:p|}) { } }", "GET has none" },
        { "[{|WEIR1008:Isolated|}] public class Foo { public void M() { } } public interface IBar { } [{|WEIR1008:Blocking|}] public class Bar : IBar { }", "is not marked [Service] and implements no interface" },
        { "[Service] public interface IFoo { Task A(); } public class Foo : IFoo { [{|WEIR1008:Isolated(\"x\")|}] public Task A() => Task.CompletedTask; }", "Foo is not marked" },

        { "[Service] public interface IFoo { } [{|WEIR1008:Service(Route = \"x\")|}] public class Foo : IFoo { } [{|WEIR1008:Service(Http = false, Route = \"y\")|}] public class S { }", "Route in [Service] has no meaning here: put it on the interface that the class serves" },

        // WEIR1023: routes.
        { "[Service] public class S { [{|WEIR1023:Get(\"{id\")|}] public void A(int id) { } [{|WEIR1023:Post(\"a}\")|}] public void B() { } [{|WEIR1023:Put(\"a?b\")|}] public void C() { } [{|WEIR1023:Get(\"a//b\")|}] public void D() { } }", "S/A: the route 'S/{id' cannot be used: a '{' is not closed" },
        { "[Service] public class S { [{|WEIR1023:Get(\"{}\")|}] public void A() { } [{|WEIR1023:Get(\"{:int}\")|}] public void B() { } [{|WEIR1023:Get(\"{a/b}\")|}] public void C() { } }", "'{}' has no valid name" },
        { "[Service] public class S { [{|WEIR1023:Get(\"{a}{b}\")|}] public void A(int a, int b) { } [{|WEIR1023:Get(\"{a}/{A}\")|}] public void B(int a) { } }", "two parameters stand side by side" },
        { "[Service] public class S { [{|WEIR1023:Get(\"{*a}/b\")|}] public void A(string a) { } [{|WEIR1023:Get(\"x{**a}\")|}] public void B(string a) { } [{|WEIR1023:Get(\"{a?}/b\")|}] public void C(string? a) { } }", "must be the whole last segment" },
        { "[Service] public class S { [{|WEIR1023:Get(\"{x}\")|}] public void A(int y) { } [{|WEIR1023:Get(\"b/{ids}\")|}] public void B(int[] ids) { } [{|WEIR1023:Put(\"c/{b}\")|}] public void C(byte[] b) { } [{|WEIR1023:Get(\"d/{t}\")|}] public void D(CancellationToken t) { } }", "S/A: the route 'S/{x}' cannot be used: no parameter of the method is named 'x'; add one, or remove '{x}'" },
        { "[Service] public class S { [{|WEIR1023:Get(\"{x?}\")|}] public void A(int x) { } [Get(\"b/{x?}\")] public void B(int? x) { } [Get(\"c/{x?}\")] public void C(int x = 1) { } [Get(\"d/{x=1}\")] public void D(int x) { } }", "'x' is optional in it but not in the method" },
        { "[Service(Route = \"{shop}/s\")] public class S { [{|WEIR1023:Get(\"x\")|}] public void A() { } public void B(string shop) { } [Get(\"/x\")] public void C() { } public void {|WEIR1023:D|}() { } }", "no parameter of the method is named 'shop'" },
        { "[Service, {|WEIR1023:Get(\"x\")|}] public class S { public void A() { } } [Service, {|WEIR1023:Put(\"y\")|}] public interface IFoo { Task A(); }", "it would be the route of every operation; write [Service(Route = \"…\")]" },
        { "[Service] public class S { [Get(\"{a}\")] public void A(int a) { } [{|WEIR1023:Get(\"{b}\")|}] public void B(int b) { } [Post(\"{b}\")] public void C(int b) { } [Get(\"{b:int}\")] public void D(int b) { } [Post(\"/s/g/\")] public void F() { } public void {|WEIR1023:G|}() { } }", "S/F has the same route for POST" },
        { "[Service] public class S { [Get(\"{a}\")] public void A(int a) { } [{|WEIR1023:Get(\"{b}\")|}] public void B(int b) { } }", "S/A has the same route for GET; change one of them" },
        { "[Service] public class S { [Get(\"~/x\"), {|WEIR1023:Post(\"/~/y\")|}] public void A() { } }", "'~' has no meaning here" },

        // WEIR1009, WEIR1012: a worker's services.
        { "[Service, Isolated] public class {|WEIR1009:S|}(IComparable source) { public int M() => source is null ? 1 : 2; }", "Sample.S runs in a worker and needs System.IComparable: write 'internal static void Configure(IServiceCollection services, WorkerStartup startup)' marked [WorkerServices]" },
        { "[Service, Isolated] public class {|WEIR1009:S|}(IServiceProvider services) { public int M() => services is null ? 1 : 2; }", "System.IServiceProvider" },
        { "[Service] public class {|WEIR1009:S|}(IComparable source) { [Isolated] public int M() => source is null ? 1 : 2; public void N() { } }", "[WorkerServices]" },
        { "[Service] public class {|WEIR1009:S|} { [Isolated] public void M([FromServices] IComparable source) { } }", "System.IComparable" },
        { "public class W { [WorkerServices] public IServiceProvider {|WEIR1012:A|}(WorkerStartup s) => null!; }", "it is not static" },
        { "public class W { [WorkerServices] private static IServiceProvider {|WEIR1012:A|}(WorkerStartup s) => null!; }", "internal or public" },
        { "public class W { [WorkerServices] public static IServiceProvider {|WEIR1012:A|}() => null!; }", "WorkerStartup" },
        { "public class W { [WorkerServices] public static object {|WEIR1012:A|}(WorkerStartup s) => null!; }", "IServiceProvider" },
        { "public class W { [WorkerServices] public static IServiceProvider {|WEIR1012:A|}<T>(WorkerStartup s) => null!; }", "generic" },
        { "public class W { [WorkerServices] public static void {|WEIR1012:A|}(IServiceCollection c) { } }", "does not take an IServiceCollection and a WorkerStartup" },
        { "public class W { [WorkerServices] public static void {|WEIR1012:A|}(WorkerStartup s, IServiceCollection c) { } }", "does not take an IServiceCollection and a WorkerStartup" },
        { "public class W { [WorkerServices] public static void {|WEIR1012:A|}(ref IServiceCollection c, WorkerStartup s) { } }", "does not take an IServiceCollection and a WorkerStartup" },
        { "public class W { [WorkerServices] public static void {|WEIR1012:A|}(ServiceCollection c, WorkerStartup s) { } }", "does not take an IServiceCollection and a WorkerStartup" },
        { "public class W { [WorkerServices] public static void {|WEIR1012:A|}(WorkerStartup s) { } }", "does not take an IServiceCollection and a WorkerStartup" },
        { "public class W { [WorkerServices] public static IServiceCollection {|WEIR1012:A|}(IServiceCollection c, WorkerStartup s) => c; }", "returns something" },
        { "public class W { [WorkerServices] public static async void {|WEIR1012:A|}(IServiceCollection c, WorkerStartup s) => await Task.Yield(); }", "async void" },
        { "public class W { [WorkerServices] public void {|WEIR1012:A|}(IServiceCollection c, WorkerStartup s) { } }", "it is not static; write one 'internal static void Configure(IServiceCollection services, WorkerStartup startup)', or one 'internal static IServiceProvider Create(WorkerStartup startup)'" },
        { "public class W { [WorkerServices] public static IServiceProvider A(WorkerStartup s) => null!; [WorkerServices] public static void {|WEIR1012:B|}(IServiceCollection c, WorkerStartup s) { } }", "another [WorkerServices] method" },
        { "public class W { [WorkerServices] public static IServiceProvider A(WorkerStartup s) => null!; [WorkerServices] public static IServiceProvider {|WEIR1012:B|}(WorkerStartup s) => null!; }", "another [WorkerServices] method" },

        // WEIR1010: shapes.
        { "[Service] public static class {|WEIR1010:S|} { }", "static" },
        { "[Service] public abstract class {|WEIR1010:S|} { }", "abstract" },
        { "[Service] public class {|WEIR1010:S|}<T> { }", "generic" },
        { "public class O { [Service] private class {|WEIR1010:S|} { } [Service] protected class {|WEIR1010:T|} { } }", "cannot access it" },
        { "public class O<T> { [Service] public class {|WEIR1010:S|} { } }", "generic class" },
        { "[Service] file class {|WEIR1010:S|} { }", "local to its file" },
        { "[Service] public class {|WEIR1010:S|} { private S() { } }", "no public constructor" },
        { "[Service] public class {|WEIR1010:S|} { public S() { } public S(IComparable x) { } }", "more than one" },
        { "[Service] public class {|WEIR1010:S|} { public required int X { get; set; } }", "required" },
        { "[Service] public class S { public void {|WEIR1010:M|}<T>(T x) { } }", "generic" },
        { "[Service] public interface {|WEIR1010:IFoo|}<T> { }", "generic" },
        { "[Service] public interface IFoo { int {|WEIR1010:P|} { get; } event Action {|WEIR1010:E|}; }", "methods only" },
        { "[Service] public interface IA { } [Service] public interface IB { } [Service] public class {|WEIR1010:S|} : IA, IB { }", "[Service(typeof(IA))]" },
        { "public interface IA { } [{|WEIR1010:Service(typeof(IA))|}] public class S : IA { }", "not an interface marked [Service]" },
        { $"[Service] public class S {{ public void {{|WEIR1010:M|}}({string.Join(", ", Enumerable.Range(0, 65).Select(static index => $"int p{index}"))}) {{ }} }}", "65 parameters" },

        { "public class O { private sealed class FAttribute : OperationFilterAttribute { public override ValueTask InvokeAsync(OperationContext c, Func<ValueTask> n) => n(); } [Service, {|WEIR1010:F|}] public class S { [{|WEIR1010:F|}] public void M() { } public void N() { } } }", "its filter [F] cannot be created: generated code cannot access it" },

        { "public class O { private class P; private enum E { A } public sealed class GAttribute<T> : OperationFilterAttribute { public override ValueTask InvokeAsync(OperationContext c, Func<ValueTask> n) => n(); } public sealed class HAttribute(object x) : OperationFilterAttribute { public Type? T { get; set; } public override ValueTask InvokeAsync(OperationContext c, Func<ValueTask> n) => n(); } [Service, {|WEIR1010:G<P>|}] public class S { [{|WEIR1010:H(E.A)|}] public void M() { } [{|WEIR1010:H(1, T = typeof(P[]))|}] public void N() { } } }", "its filter [H] cannot be created: generated code cannot access its argument P[]" },

        // Uses that are errors of the compiler.
        { "[Service, Obsolete(\"gone\", true)] public class {|WEIR1010:S|} { public void M() { } } public class T { [Obsolete(\"gone\", true)] public T() { } } [Service] public class {|WEIR1010:U|} { [Obsolete(\"gone\", true)] public U() { } public void M() { } }", "S cannot be served: it is marked [Obsolete] as an error, which generated code cannot use either; remove 'true' from the attribute" },
        { "[Service] public class S { [Obsolete(\"gone\", error: true)] public void {|WEIR1010:M|}() { } [Obsolete(\"going\", false)] public void N() { } [Obsolete(\"gone\", error: true), IgnoreOperation] public void O() { } }", "S/M cannot be served: it is marked [Obsolete] as an error" },
        { "public class B { [Obsolete(\"gone\", true)] public virtual void M() { } } [Service] public class S : B { [Obsolete] public override void {|WEIR1010:M|}() { } }", "or hide it with [IgnoreOperation]" },
        { "[Service] public interface IFoo { [Obsolete(\"gone\", true)] Task {|WEIR1010:M|}(); } [Service] public class Foo : IFoo { public Task M() => Task.CompletedTask; }", "Foo/M" },
        { "[Service] public interface IFoo { Task M(); } [Service(typeof(IFoo))] public class Foo { [Obsolete(\"gone\", true)] public void {|WEIR1010:M|}() { } }", "Foo/M" },
        { "[Obsolete(\"gone\", true)] public record P(int X); [Service, Obsolete] public class S { public P {|WEIR1002:M|}(List<P> {|WEIR1001:p|}, IEnumerable<P>? {|WEIR1001:q|}) => null!; }", "P, marked [Obsolete] as an error" },
        { "[Service] public class S { [System.Diagnostics.CodeAnalysis.Experimental(\"SOME1\")] public void {|WEIR1010:M|}() { } }", "S/M cannot be served: it is marked [Experimental(\"SOME1\")], and generated code uses it too; add SOME1 to <NoWarn> of the project, or hide it with [IgnoreOperation]" },
        { "[Service, System.Diagnostics.CodeAnalysis.Experimental(\"SOME1\")] public class {|WEIR1010:S|} { public void M() { } }", "S cannot be served: it is marked [Experimental(\"SOME1\")]" },
        { "[Service] public class {|WEIR1010:S|} { } public interface ISClient { } [Service] public class {|WEIR1010:T|} { } public enum ITClient { A } [Service] public class U { } public interface IUClient<T> { }", "its client would be Sample.ISClient, and there is a type of that name; rename one, or move it to another namespace" },

        // WEIR1011: [Blocking] and [Stream].
        { "[Service] public class S { [{|WEIR1011:Blocking|}] public Task M() => Task.CompletedTask; }", "synchronous method" },
        { "[Service, Blocking] public class S { public void A() { } public async Task {|WEIR1011:M|}() => await Task.Yield(); }", "synchronous method" },
        { "[Service] public class S { [{|WEIR1011:Stream|}] public int[] M() => []; [{|WEIR1011:Stream|}] public Task<List<int>> N() => null!; }", "not int[]" },
        { "[Service] public class S { [Isolated, {|WEIR1011:Blocking|}] public void M() { } }", "remove [Blocking] or [Isolated]" },
        { "[Service, Isolated, {|WEIR1011:Blocking|}] public class S { public void M() { } }", "remove [Blocking] or [Isolated]" },

        // WEIR1013, WEIR1014.
        { "[{|WEIR1013:Service(\"a/b\")|}] public class S { } [{|WEIR1013:Service(\"\")|}] public class T { } [{|WEIR1013:Service(\"$catalog\")|}] public class U { }", "'a/b' cannot be the name of the service S" },
        { "[Service] public class S { [{|WEIR1013:Operation(\"a.b\")|}] public void A() { } [{|WEIR1013:Operation(\"a b\")|}] public void B() { } }", "choose another name with [Operation" },
        { "[Service] public interface IFoo { Task<int> A(string x, CancellationToken ct); IAsyncEnumerable<int> B(); } [Service(typeof(IFoo))] public class {|WEIR1014:Foo|} { public string A(string x) => x; public int[] B() => []; }", "Foo serves IFoo but has no method for one of its operations: add 'public int A(string x)'" },

        // WEIR1015: declared exceptions.
        { "[Service] public class S { [{|WEIR1015:Throws(typeof(FormatException), Status = 200)|}, {|WEIR1015:Throws(typeof(TimeoutException), Status = 600)|}, Throws(typeof(KeyNotFoundException), Status = 404)] public void M() { } }", "Status = 200 is not the status of a failure; set it from 400 to 599" },
        { "[Service] public class S { [{|WEIR1015:Throws(typeof(string))|}] public void M() { } }", "S/M: [Throws] cannot declare string: it is not an exception" },
        { "public class A<T>(string m) : Exception(m); public abstract class B(string m) : Exception(m); [Service] public class S { [{|WEIR1015:Throws(typeof(A<int>))|}, {|WEIR1015:Throws(typeof(B))|}] public void M() { } }", "it is generic" },
        { "public class A(int code) : Exception { public int Code => code; } [Service] public class S { [{|WEIR1015:Throws(typeof(A))|}] public void M() { } }", "no public constructor that takes only the message" },
        { "public class O { private class A(string m) : Exception(m); [Service] public class S { [{|WEIR1015:Throws(typeof(A))|}] public void M() { } } }", "cannot access it" },
        { "public class A(string m) : Exception(m) { public required int Code { get; set; } } [Service] public class S { [{|WEIR1015:Throws(typeof(A))|}] public void M() { } }", "a required member" },
        { "[Service] public class S { [{|WEIR1015:Throws(typeof(int[]))|}] public void M() { } }", "it is not a class" },
        { "public class A(string m) : Exception(m); [Service] public interface IFoo { Task M(); } [Service] public class Foo : IFoo { [{|WEIR1008:Throws(typeof(A))|}, {|WEIR1008:Idempotent|}] public Task M() => Task.CompletedTask; }", "[Throws] has no meaning here: put it on the method of the interface" },

        // WEIR1052: [Resumable].
        { "[Service] public class S { [Get, {|WEIR1052:Resumable|}] public int M(long from = 0) => 1; }", "S/M cannot be resumed: it is no stream; remove [Resumable]" },
        { "[Service] public class S { [Get, {|WEIR1052:Resumable|}] public IAsyncEnumerable<byte[]> M(long from = 0) => null!; }", "its items are bytes" },
        { "[Service] public class S { [{|WEIR1052:Resumable|}, Idempotent] public IAsyncEnumerable<int> M(IAsyncEnumerable<int> x, long from = 0) => null!; }", "its request is streamed" },
        { "[Service] public class S { [{|WEIR1052:Resumable|}, Idempotent] public IAsyncEnumerable<int> M(System.IO.Stream x, long from = 0) => null!; }", "it reads its request's body itself" },
        { "[Service] public class S { [Get, {|WEIR1052:Resumable|}] public IAsyncEnumerable<int> M(int from = 0) => null!; [Get, {|WEIR1052:Resumable|}] public IAsyncEnumerable<int> N(long? from = 0) => null!; }", "the index of an item is a long; write 'long from = 0'" },
        { "[Service] public class S { [Get, {|WEIR1052:Resumable|}] public IAsyncEnumerable<int> M(long from) => null!; }", "has no default" },
        { "[Service] public class S { [Get, {|WEIR1052:Resumable|}] public IAsyncEnumerable<int> M(long from = 1) => null!; }", "has another default than 0" },
        { "[Service] public class S { [Get, {|WEIR1052:Resumable|}] public IAsyncEnumerable<int> M([Microsoft.AspNetCore.Mvc.FromHeader] long from = 0) => null!; }", "does not come from the query" },
        { "[Service] public class S { [Get(\"m/{from=0}\"), {|WEIR1052:Resumable|}] public IAsyncEnumerable<int> M(long from = 0) => null!; [Get(\"o/{fromStation}\"), Resumable] public IAsyncEnumerable<int> O(string fromStation, long from = 0) => null!; }", "is in the path" },
        { "[Service] public class S { [{|WEIR1052:Resumable|}] public IAsyncEnumerable<int> M(long from = 0) => null!; }", "mark it [Get] or [Idempotent]" },
        { "[Service] public interface IFoo { [Get, {|WEIR1052:Resumable|}] Task<int> M(); }", "it is no stream" },

        { "[Service] public class S { [{|WEIR1052:Resumable|}] public IAsyncEnumerable<int> M(byte[] x) => null!; }", "take the bytes as a member of a JSON body, or 'long from = 0'" },
        { "[Service] public class S { [Get, Stream(Flush = FlushPolicy.Bulk), {|WEIR1052:Resumable|}] public IAsyncEnumerable<int> M() => null!; }", "FlushPolicy.Bulk holds items back" },
        { "[Service] public class S { [Get, Resumable] public IAsyncEnumerable<int> M(Microsoft.AspNetCore.Http.HttpContext {|WEIR1052:http|}, System.Security.Claims.ClaimsPrincipal user) => null!; }", "its parameter 'http' (HttpContext) does not exist then" },

        // WEIR1054: [Job].
        { "[Service] public class S { [{|WEIR1054:Job|}] public async Task M(IAsyncEnumerable<int> x) => await Task.Yield(); }", "S/M cannot be a job: its parameter 'x' is a streamed request, and the arguments of a job are stored before it runs; take a list, or remove [Job]" },
        { "[Service] public interface IFoo { [{|WEIR1054:Job|}] Task M(IAsyncEnumerable<int> x); [{|WEIR1054:Job|}] Task N(System.IO.Stream x); } [Service] public class Foo : IFoo { public Task M(IAsyncEnumerable<int> x) => Task.CompletedTask; public Task N(System.IO.Stream x) => Task.CompletedTask; }", "Foo/M cannot be a job: its parameter 'x' is a streamed request" },
        { "[Service] public class S { [{|WEIR1054:Job|}] public void A(System.IO.Stream x) { } [{|WEIR1054:Job|}] public void B(System.IO.Pipelines.PipeReader x) { } }", "S/A cannot be a job: its parameter 'x' (Stream) is read from the request, which has ended when a job runs; take the content as ReadOnlyMemory<byte>" },
        { "[Service] public class S { [{|WEIR1054:Job|}] public void A(Microsoft.AspNetCore.Http.IFormFile x) { } [{|WEIR1054:Job|}] public void B(Microsoft.AspNetCore.Http.IFormFileCollection x) { } [{|WEIR1054:Job|}] public void C(IReadOnlyList<Microsoft.AspNetCore.Http.IFormFile>? x) { } }", "S/A cannot be a job: its parameter 'x' (IFormFile)" },
        { "[Service] public class S { [{|WEIR1054:Job|}] public void A(Microsoft.AspNetCore.Http.HttpContext x) { } [{|WEIR1054:Job|}] public void B(Microsoft.AspNetCore.Http.HttpRequest x) { } [{|WEIR1054:Job|}] public void C(Microsoft.AspNetCore.Http.HttpResponse x) { } [{|WEIR1054:Job|}] public void D(int a, System.Security.Claims.ClaimsPrincipal x) { } }", "S/D cannot be a job: its parameter 'x' (ClaimsPrincipal) is the caller of a direct call, which is not stored with a job; take what it needs of it as values" },
        { "public record Parts(int Size, Microsoft.AspNetCore.Http.HttpContext Http); [Service] public class S { [{|WEIR1054:Job|}] public void M([Microsoft.AspNetCore.Http.AsParameters] Parts parts) { } }", "its parameter 'Http' (HttpContext)" },
        { "[Service] public class S { [{|WEIR1054:Job|}] public Microsoft.AspNetCore.Http.IResult A() => null!; [{|WEIR1054:Job|}] public Task<Microsoft.AspNetCore.Http.HttpResults.Ok<int>> B() => null!; }", "S/A cannot be a job: its result (IResult) writes the response to a request, and the result of a job is stored; return the value, or remove [Job]" },
        { "[Service] public class S { [{|WEIR1054:Job|}] public System.IO.Stream A() => null!; [{|WEIR1054:Job|}] public ValueTask<System.IO.Pipelines.PipeReader> B() => default; }", "S/A cannot be a job: its result (Stream) cannot be stored; return ReadOnlyMemory<byte>, or IAsyncEnumerable<ReadOnlyMemory<byte>>" },
        { "[Service] public class S { [Get, {|WEIR1054:Job|}] public int M() => 1; } [Service, Get] public class T { [{|WEIR1054:Job|}] public int M() => 1; [Job, Post] public int N() => 1; }", "S/M cannot be a job: its only verb is GET, and a GET must be safe, which storing a job is not; add [Post] or remove [Job]" },
        { "[Service] public class S { [{|WEIR1054:Job(Key = \"y\")|}] public void A(int x) { } [{|WEIR1054:Job(Key = \"X\")|}] public void B(int x) { } [{|WEIR1054:Job(Key = \"\")|}] public void C(int x) { } [{|WEIR1054:Job(Key = \"t\")|}] public void D(CancellationToken t) { } }", "S/A cannot be a job: Key names 'y', and callers supply no parameter of that name; write nameof(…) of one, or remove Key" },
        { "public record P(int X); [Service] public class S { [{|WEIR1054:Job(Key = \"x\")|}] public void A(int[] x) { } [{|WEIR1054:Job(Key = \"x\")|}] public void B(P x) { } [{|WEIR1054:Job(Key = \"x\")|}] public void C(byte[] x) { } [{|WEIR1054:Job(Key = \"x\")|}] public void D(ReadOnlyMemory<byte> x) { } [{|WEIR1054:Job(Key = \"x\")|}] public void E(Uri x) { } [{|WEIR1054:Job(Key = \"x\")|}] public void F(object x) { } }", "S/A cannot be a job: Key names 'x', which is int[]; a key is one text, number, Guid, date, time, enum or bool" },
        { "[Service] public class S { [{|WEIR1054:Job(Attempts = -1)|}] public void A() { } [{|WEIR1054:Job(Attempts = 1001)|}] public void B() { } }", "S/B cannot be a job: Attempts is 1001; set it from 1 to 1000, or to 0 for the default" },
        { "[Service] public class S { [{|WEIR1054:Job(Concurrency = -1)|}] public void M() { } }", "S/M cannot be a job: Concurrency is -1; set it to 1 or more, or to 0 for the default" },
        { "[Service] public class S { [{|WEIR1054:Job(Timeout = \"6h\")|}] public void A() { } [{|WEIR1054:Job(Timeout = \"\")|}] public void B() { } [{|WEIR1054:Job(Timeout = \"25:61:00\")|}] public void C() { } }", "S/A cannot be a job: Timeout is '6h', which is no time; write hours, minutes and seconds, such as \"06:00:00\", with days before a dot, such as \"1.00:00:00\"" },
        { "[Service] public class S { [{|WEIR1054:Job(Timeout = \"24:00:00\")|}] public void A() { } [{|WEIR1054:Job(Backoff = \"5\")|}] public void B() { } [{|WEIR1054:Job(MaxBackoff = \"1:2:3:4\")|}] public void C() { } }", "S/A cannot be a job: Timeout is '24:00:00', which means 24 days; write \"24.00:00:00\" for that, or else hours below 24" },
        { "[Service] public class S { [{|WEIR1054:Job(Timeout = \"00:00:00\")|}] public void A() { } [{|WEIR1054:Job(Timeout = \"-01:00:00\")|}] public void B() { } }", "S/A cannot be a job: Timeout is not longer than zero; write a longer one, or Timeout = null for no limit" },
        { "[Service] public class S { [{|WEIR1054:Job(Timeout = \"50.00:00:00\")|}] public void A() { } }", "S/A cannot be a job: Timeout is longer than 49 days; write a shorter one, or Timeout = null for no limit" },
        { "[Service] public class S { [{|WEIR1054:Job(Backoff = \"soon\")|}] public void A() { } [{|WEIR1054:Job(Backoff = null!)|}] public void B() { } [{|WEIR1054:Job(MaxBackoff = \"\")|}] public void C() { } }", "S/B cannot be a job: Backoff is null, which is no time" },
        { "[Service] public class S { [{|WEIR1054:Job(Backoff = \"-00:00:01\")|}] public void M() { } }", "S/M cannot be a job: Backoff is negative; write \"00:00:00\" for no pause, or a longer one" },
        { "[Service] public class S { [{|WEIR1054:Job(Backoff = \"00:00:02\", MaxBackoff = \"00:00:01\")|}] public void A() { } [{|WEIR1054:Job(Backoff = \"02:00:00\")|}] public void B() { } [{|WEIR1054:Job(MaxBackoff = \"00:00:01\")|}] public void C() { } }", "S/B cannot be a job: MaxBackoff (01:00:00) is shorter than Backoff (02:00:00); raise MaxBackoff, or lower Backoff" },
        { "[Service] public class S { [{|WEIR1054:Job(\"\")|}] public void M() { } }", "S/M cannot be a job: the name of its kind is empty; write [Job(\"…\")] with a name" },
        { "[Service] public class S { [{|WEIR1054:Job(\"a b\")|}] public void A() { } [{|WEIR1054:Job(\"a:b\")|}] public void B() { } [{|WEIR1054:Job(\"a\\\\b\")|}] public void C() { } }", "S/A cannot be a job: the name of its kind, 'a b', may contain only letters, digits and . _ - /; rename it" },
        { $"[Service] public class S {{ [{{|WEIR1054:Job(\"{new string('a', 201)}\")|}}] public void A() {{ }} [Job(\"{new string('a', 200)}\")] public void B() {{ }} }}", "the name of its kind has 201 characters, and 200 are allowed; shorten it" },
        { $"[Service] public class S {{ [{{|WEIR1054:Job|}}] public void {new string('a', 199)}() {{ }} [Job] public void {new string('a', 198)}() {{ }} [Job(\"a\")] public void {new string('a', 197)}{new string('b', 20)}() {{ }} }}", "the name of its kind has 201 characters, and 200 are allowed; write [Job(\"…\")] with a shorter one" },
        { "[Service] public class S { [Job(\"a\")] public void A() { } [{|WEIR1054:Job(\"A\")|}] public void B() { } [Job] public void D() { } } [Service] public class T { [{|WEIR1054:Job(\"a\")|}] public void C() { } } public class Base { [{|WEIR1054:Job(\"s/d\")|}] public virtual void E() { } } [Service] public class W : Base { public override void E() { } } [Service] public interface IX { [{|WEIR1054:Job(\"a\")|}] Task A(); } [Service] public class X : IX { public Task A() => Task.CompletedTask; } public class Outer { [Service] public interface IY { [{|WEIR1054:Job(\"a\")|}] Task A(); } } [Service(typeof(Outer.IY))] public class Y { public void A() { } } [Service, Isolated] public interface IZ { [{|WEIR1054:Job(\"a\")|}] Task A(); }", "T/C cannot be a job: its kind 'a' is that of S/A too (case is ignored); give one another name with [Job(\"…\")]" },
        { "[Service] public class S { [{|WEIR1054:Job(MaxPerKey = -1)|}] public void A() { } [{|WEIR1054:Job(MaxTotal = -5)|}] public void B() { } }", "S/B cannot be a job: MaxTotal is -5; set it to 1 or more, or to 0 for no limit" },
        { "[Service] public class S { [{|WEIR1054:Job(Respond = (JobRespond)3)|}] public void M() { } }", "S/M cannot be a job: Respond is 3; write JobRespond.WhenPreferred, Always or Never" },
        { "[Service] public class S { [{|WEIR1054:Job(MaxPerKey = 3, MaxTotal = 2)|}] public void M() { } }", "S/M cannot be a job: MaxPerKey (3) is more than MaxTotal (2), so it limits nothing; lower MaxPerKey, or raise MaxTotal" },
        { "[Service] public class S { [{|WEIR1054:Schedule(\"0 3 * * *\")|}] public void M() { } } [Service] public interface IFoo { [{|WEIR1054:Schedule(\"x\")|}] Task M(); } [Service] public class Foo : IFoo { public Task M() => Task.CompletedTask; }", "S/M cannot be a job: it has [Schedule], which makes jobs, and no [Job]; add [Job], or remove [Schedule]" },
        { "public class Where { public int Page { get; set; } public required string Tenant { get; set; } } [Service] public class S { [Job, Schedule(\"0 3 * * *\")] public void A(OperationContext context, int x = 1, string y = \"\", Guid z = default, DateOnly? d = null, string? e = null) { } [Job, {|WEIR1054:Schedule(\"0 3 * * *\")|}] public void B(int a, string customer) { } [Job, {|WEIR1054:Schedule(\"0 3 * * *\")|}] public void C([Microsoft.AspNetCore.Http.AsParameters] Where where) { } }", "S/B cannot be a job: a job of [Schedule] has default arguments, and its parameter 'a' has no default; give it one, or remove [Schedule] and write the schedule with its Arguments in Weir:Jobs:Schedules of the configuration" },
        { "[Service] public class S { [Job, {|WEIR1054:Schedule(\"61 3 * * *\")|}] public void A() { } [Job, {|WEIR1054:Schedule(\"0 3 * *\")|}] public void B() { } [Job, {|WEIR1054:Schedule(null!)|}] public void C() { } [Job, {|WEIR1054:Schedule(\"@reboot\")|}] public void D() { } }", "S/A cannot be a job: its cron expression, '61 3 * * *', is none: Minutes: Value must be a number between 0 and 59 (all inclusive); write minute, hour, day of the month, month and day of the week, such as \"0 3 * * *\"" },
        { "[Service] public class S { [Job, {|WEIR1054:Schedule(\"0 0 30 2 *\")|}] public void M() { } }", "S/M cannot be a job: its cron expression, '0 0 30 2 *', never occurs: no month that it names has such a day; correct the day or the month" },
        { "[Service] public class S { [Job, {|WEIR1054:Schedule(\"@daily\", TimeZone = \"\")|}] public void A() { } [Job, {|WEIR1054:Schedule(\"@daily\", TimeZone = null!)|}] public void B() { } [Job, {|WEIR1054:Schedule(\"@daily\", TimeZone = \"Europe/Belin\")|}] public void C() { } [Job, {|WEIR1054:Schedule(\"@daily\", TimeZone = \"Europe/\")|}] public void D() { } }", "S/C cannot be a job: TimeZone is 'Europe/Belin', which is no time zone that this machine knows; write an id such as \"Europe/Berlin\", or remove TimeZone for UTC" },
        { "[Service] public class S { [Job, {|WEIR1054:Schedule(\"@daily\", MisfireWindow = \"1d\")|}] public void A() { } [Job, {|WEIR1054:Schedule(\"@daily\", MisfireWindow = \"24:00:00\")|}] public void B() { } [Job, {|WEIR1054:Schedule(\"@daily\", MisfireWindow = null!)|}] public void C() { } }", "S/A cannot be a job: MisfireWindow is '1d', which is no time; write hours, minutes and seconds" },
        { "[Service] public class S { [Job, {|WEIR1054:Schedule(\"@daily\", MisfireWindow = \"-00:00:01\")|}] public void A() { } [Job, {|WEIR1054:Schedule(\"@daily\", MisfireWindow = \"365.00:00:01\")|}] public void B() { } }", "S/A cannot be a job: MisfireWindow is negative; write \"00:00:00\" to run no missed occurrence, or a longer one" },
        { "[Service] public class S { [Job, {|WEIR1054:Schedule(\"@daily\", MisfireWindow = \"366.00:00:00\")|}] public void M() { } }", "S/M cannot be a job: MisfireWindow is longer than 365 days; write a shorter one" },
        { "[Service] public class S { [Job, {|WEIR1054:Schedule(\"@daily\", Misfire = (ScheduleMisfire)2)|}] public void A() { } [Job, {|WEIR1054:Schedule(\"@daily\", Overlap = (ScheduleOverlap)(-1))|}] public void B() { } }", "S/A cannot be a job: Misfire is 2, which is no ScheduleMisfire; write ScheduleMisfire.Once or ScheduleMisfire.Skip" },
        { "public abstract class Base { [Job, {|WEIR1054:Schedule(\"nightly\")|}] public virtual void M() { } } [Service] public class S : Base { public override void M() { } }", "S/M cannot be a job: its cron expression, 'nightly', has 1 field; write minute, hour, day of the month" },
        { "[Service] public interface IFoo { Task M(); } [Service] public class Foo : IFoo { [{|WEIR1008:Job|}, {|WEIR1008:Schedule(\"@daily\")|}] public Task M() => Task.CompletedTask; }", "[Schedule] has no meaning here: put it on the method of the interface" },
        { "[Service] public interface IFoo { Task M(); } [Service] public class Foo : IFoo { [{|WEIR1008:Job|}] public Task M() => Task.CompletedTask; }", "[Job] has no meaning here: put it on the method of the interface" },
        { "[Service] public interface IFoo { Task M(); } [Service(typeof(IFoo))] public class Foo { [{|WEIR1008:Job|}] public void M() { } }", "[Job] has no meaning here: put it on the method of the interface" },
        // Kinds of one service twice are the services' error.
        { "[Service(\"S\")] public class A { [Job] public void M() { } } [Service(\"s\")] public class {|WEIR1006:B|} { [Job] public void M() { } }", "are both the service 's'" },

        // WEIR1025: async void.
        { "[Service] public class S { public async void {|WEIR1025:M|}() => await Task.Yield(); [Isolated] public async void {|WEIR1025:N|}(int x) => await Task.Delay(x); }", "S/M is async void: its call would complete before the method does, and an exception in it would end the process; return Task" },
        { "public abstract class B { public virtual void M() { } } [Service] public class S : B { public override async void {|WEIR1025:M|}() => await Task.Yield(); }", "S/M is async void" },
        { "[Service] public interface IFoo { Task A(); } [Service(typeof(IFoo))] public class Foo { public async void {|WEIR1025:A|}() => await Task.Yield(); }", "Foo/A is async void" },
    };

    public static TheoryData<string> Right { get; } = new()
    {
        "[Service] public class S { [Resumable] public IAsyncEnumerable<int> M(string x, OperationContext context) => null!; [Get, Stream(Flush = FlushPolicy.Bulk), Resumable] public IAsyncEnumerable<int> N(Microsoft.AspNetCore.Http.HttpContext http, long from = 0) => null!; }",
        "[Service] public class S { [Get, Resumable] public IAsyncEnumerable<int> M(int n, long from = 0) => null!; [Resumable, Idempotent] public ChannelReader<int> N(byte[] x, [Microsoft.AspNetCore.Mvc.FromQuery] long from = 0) => null!; [Get, Stream, Resumable] public IEnumerable<byte[]?> O(long from = default) => null!; }",
        "[Service] public interface IFoo { [Get, Resumable] IAsyncEnumerable<int> M(long from = 0); } [Service, Isolated] public class Foo : IFoo { public IAsyncEnumerable<int> M(long from) => null!; }",
        "public record Order(int[] Extra, List<Order>? Children = null); [Service] public class S { public void M(int a, Order order) { } }",
        "public class A { [JsonConverter(typeof(JsonStringEnumConverter))] public DayOfWeek X { get; set; } [JsonIgnore] public object? Y { get; set; } public int Field; } [Service] public class S { public A M(A a) => a; }",
        "public class A { [JsonInclude] public int X { get; set; } [JsonInclude] public int Y { get; } [JsonPropertyOrder(-1)] public int Z { get; set; } public int W { get; private set; } internal int V { get; set; } [JsonIgnore] public int U { set => Y_ = value; } private int Y_ { get; set; } } [Service] public class S { public A M(A a) => a; }",
        "public class A(int x) { [JsonInclude] public int X { get; private set; } = x; } [Service] public class S { public A M(A a) => a; [IgnoreOperation] public async void N() => await Task.Yield(); }",
        "public record Forecast(int X); [Service] public class S { [Stream] public IEnumerable<Forecast> Next() => []; public Forecast[] All() => []; public IReadOnlyList<int> More() => []; }",
        "[Service] public interface IFoo { Task A(); ValueTask B(); Task<int> C(); ValueTask<int> D(); IAsyncEnumerable<int> E(); static int F() => 1; }",
        "[Service] public class S { public void M(int x) { } [Operation(\"M2\")] public void M(string x) { } [IgnoreOperation] public void M(object x) { } }",
        "[Service] public class A { } [Service(\"B2\")] public class B { }",
        "[Service] public interface IFoo { Task A(); } [Isolated] public class Foo : IFoo { public Task A() => Task.CompletedTask; } public class Double : IFoo { public Task A() => Task.CompletedTask; }",
        "[Service] public interface IA { } [Service] public interface IB : IA { } [Service] public class S : IB { }",
        "[Service] public interface IA { } [Service] public interface IB { } [Service(typeof(IB))] public class S : IA, IB { }",
        "[Service, Isolated] public class S(IComparable source) { public int M() => source is null ? 1 : 2; } public class W { [WorkerServices] internal static IServiceProvider A(WorkerStartup s) => null!; }",
        "[Service, Isolated] public class S(IComparable source) { public int M() => source is null ? 1 : 2; } public static class W { [WorkerServices] public static void A(IServiceCollection c, WorkerStartup s) { } }",
        "[Service, Isolated] public class S(IComparable? source = null) { public int M() => source is null ? 1 : 2; }",
        "[Service] public class S(IComparable source) { public int M() => source is null ? 1 : 2; }",
        "public class O { [Service] internal class S { internal S() { } } [Service] protected internal class T { } }",
        "public abstract class Base<T> { public void M(T x) { } } [Service] public class S : Base<int> { public S() { } private S(int x) { } }",
        "[Service, Blocking] public class S { public void A() { } public int B() => 1; [Stream] public IEnumerable<int> C() => []; }",
        "[Service] public class S { [Stream] public async IAsyncEnumerable<int> M() { await Task.Yield(); yield return 1; } [Stream] public ChannelReader<int> N() => null!; }",
        "[Service(\"a-b_C9é\")] public class S { [Operation(\"1-x\")] public void M() { } }",
        "[Service] public interface IFoo { Task<int> A(string x, CancellationToken ct); } [Service(typeof(IFoo))] public class Foo { public int A(string text, OperationContext c, [FromServices] IComparable i) => text.Length; }",
        "[Service, Isolated] public class S(int size = 5, IComparable? other = null, IDisposable? more = null) { public int M() => size + (other is null || more is null ? 0 : 1); }",
        "public abstract class Half { [Isolated] public virtual void M() { } } [Service] public class Whole : Half { }",
        "public class A(string m) : InvalidOperationException(m); [Service] public interface IFoo { [Idempotent, Throws(typeof(A)), Throws(typeof(System.IO.IOException)), Throws(typeof(A))] Task M(); } [Service] public class Foo : IFoo { public Task M() => Task.CompletedTask; }",
        "public class A { [System.Diagnostics.CodeAnalysis.SetsRequiredMembers] public A(int x) => X = x; public required int X { get; init; } public required int Y { get; set; } } [Service] public class S { public A M(A a) => a; }",
        "[Service] public interface IFoo { Task A(); [IgnoreOperation] Task<T?> B<T>(T? x); [IgnoreOperation] T? C<T>(List<T?> x) where T : class; [IgnoreOperation] T? D<T>() where T : struct; [IgnoreOperation] T?[] E<T, U>(U y) where T : notnull; [IgnoreOperation] T? F<T>() where T : Exception; [IgnoreOperation] T? G<T>() where T : IDisposable; } [Service] public class Foo : IFoo { public Task A() => Task.CompletedTask; public Task<T?> B<T>(T? x) => null!; public T? C<T>(List<T?> x) where T : class => null; public T? D<T>() where T : struct => null; public T?[] E<T, U>(U y) where T : notnull => []; public T? F<T>() where T : Exception => null; public T? G<T>() where T : IDisposable => default; }",
        "[Service] public interface IFoo { Task A(); [IgnoreOperation, Obsolete(\"gone\", true)] Task B(); } [Service] public class Foo : IFoo { public Task A() => Task.CompletedTask; public Task B() => Task.CompletedTask; }",
        "[Service] public class S { public int M([System.Runtime.InteropServices.Optional, System.Runtime.InteropServices.DefaultParameterValue(5)] int x, [System.Runtime.InteropServices.Optional] string? y) => x; } public class T(ISClient client) { public ValueTask<int> N() => client.M(5, null); }",
        $"[Service] public class S {{ public void M({string.Join(", ", Enumerable.Range(0, 64).Select(static index => $"int p{index}"))}) {{ }} }}",
    };

    /// <summary>What generated code does not hold, and the serializer does.</summary>
    public static TheoryData<string> Serialized { get; } = new()
    {
        "[JsonDerivedType(typeof(B))] public record A; public record B : A; [Service] public class S { public void M(A x) { } }",
        "public class A { [JsonExtensionData] public Dictionary<string, object>? More { get; set; } } [Service] public class S { public void M(A x) { } }",
        "public class A { [JsonConverter(typeof(JsonStringEnumConverter<DayOfWeek>))] public int X { get; set; } } [Service] public class S { public void M(A x) { } }",
        "public class A { [JsonInclude] public int Field; } [Service] public class S { public void M(A x) { } }",
        "public class A { [JsonInclude] public string X { get; private set; } = string.Empty; } [Service] public class S { public void M(A x) { } }",
        "public class A { [JsonInclude] public string X { get; private init; } = string.Empty; } [Service] public class S { public void M(A x) { } }",
        "public class A { [JsonInclude] public string X { private get; set; } = string.Empty; } [Service] public class S { public void M(A x) { } }",
        "public class A { [JsonInclude] internal int X { get; set; } public int Y { get; set; } } [Service] public class S { public void M(A x) { } }",
        "public class B { [JsonInclude] private int X { get; set; } } public class A : B { public int Y { get; set; } } [Service] public class S { public void M(A x) { } }",
        "public class A { public int X { set => Y = value; } public int Y { get; private set; } } [Service] public class S { public void M(A x) { } }",
        "public class A { public int X { internal get; set; } } [Service] public class S { public void M(A x) { } }",
        "public class A { public required int X; public int Y { get; set; } } [Service] public class S { public void M(A x) { } }",
        "public class A(int x) { public required int X { get; init; } = x; } [Service] public class S { public void M(A x) { } }",
        "public class O { [Obsolete(\"gone\", true)] public int X { get; set; } public int Y { get; [Obsolete(\"gone\", true)] set; } } public class P { [Obsolete(\"gone\", true)] public P() { } } [Service] public class S { public O M(O o, P p) => o; }",
        "#pragma warning disable CS0693\npublic class O<T> { public class I<T> { public T? X { get; init; } } } [Service] public class S { public void M(O<int>.I<string> x) { } }",
        "public class A : IJsonOnDeserialized { public int X { get; set; } public void OnDeserialized() => X++; } [Service] public class S { public void M(A x) { } }",
        "[JsonNumberHandling(JsonNumberHandling.AllowReadingFromString)] public class A { public int X { get; set; } } [Service] public class S { public void M(A x) { } }",
        "[JsonObjectCreationHandling(JsonObjectCreationHandling.Populate)] public class A { public int X { get; set; } } [Service] public class S { public void M(A x) { } }",
        "[JsonUnmappedMemberHandling(JsonUnmappedMemberHandling.Disallow)] public class A { public int X { get; set; } } [Service] public class S { public void M(A x) { } }",
        "public class MineAttribute : JsonConverterAttribute { } public class A { [Mine] public int X { get; set; } } [Service] public class S { public void M(A x) { } }",
        "public record Order(object Extra, Dictionary<string, B[]> Maps); public record B(HashSet<int> Set); [Service] public class S { public Order M(Order order) => order; }",
        "[Service] public class S { public object A(Uri x) => x; public Dictionary<Guid, int>? B(Version? x, IReadOnlyDictionary<DayOfWeek, string?> y) => null; public IAsyncEnumerable<System.Text.Json.JsonElement> C(IAsyncEnumerable<ISet<Half>> x) => null!; }",
        "[JsonPolymorphic, JsonDerivedType(typeof(B), \"b\")] public abstract record A; public record B(int X) : A; [Service] public class S { public A M(A a) => a; public Task<List<A>> N() => null!; }",
        "public class Base { public int this[int x] => x; } public class Tree : Base { public Tree? Parent { get; set; } public Dictionary<string, Tree> Children { get; } = []; } [Service] public class S { public Tree M(Tree tree) => tree; }",
    };

    [Theory]
    [MemberData(nameof(Serialized))]
    public void What_only_the_serializer_holds_compiles_without_a_word(string source) => What_is_right_compiles_without_a_word(source);

    [Theory]
    [MemberData(nameof(Wrong))]
    public void What_is_wrong_is_reported_at_its_place(string marked, string message)
    {
        var markup = Markup.Parse(Head + marked + "\n}");
        var output = Driver.Run(Driver.Library(markup.Source));
        var reported = output.Reported;

        Assert.Equal(
            markup.Places.Distinct().OrderBy(static one => one.Span.Start),
            reported.Select(static one => (one.Id, one.Location.SourceSpan)).Distinct().OrderBy(static one => one.SourceSpan.Start));
        Assert.Contains(reported, one => one.GetMessage(CultureInfo.InvariantCulture).Contains(message, StringComparison.Ordinal));
        Assert.All(reported, static one => Assert.Equal(DiagnosticSeverity.Error, one.Severity));
        Assert.All(reported, static one => Assert.Equal("Source1.cs", one.Location.GetLineSpan().Path));
    }

    [Theory]
    [MemberData(nameof(Wrong))]
    public void What_is_wrong_causes_no_second_error_in_generated_code(string marked, string message)
    {
        Assert.NotNull(message);
        var output = Driver.Run(Driver.Library(Markup.Parse(Head + marked + "\n}").Source));

        Assert.DoesNotContain(output.Compiled, static one => one.Severity == DiagnosticSeverity.Error && one.Location.SourceTree?.FilePath.EndsWith(".g.cs", StringComparison.Ordinal) == true);
    }

    [Fact]
    public void What_the_compiler_says_already_is_not_said_again()
    {
        var output = Driver.Run(Driver.Library(Head + "public record A(Nowhere X); [Service] public class S { public void M(Nothing x, A a) { } public Unknown N() => null!; } }"));

        Assert.Empty(output.Reported);
        Assert.All(output.Compiled, static one => Assert.Equal("Source1.cs", one.Location.GetLineSpan().Path));
    }

    [Theory]
    [MemberData(nameof(Right))]
    public void What_is_right_compiles_without_a_word(string source)
    {
        var output = Driver.Run(Driver.Library(Head + source + "\n}"));

        Assert.Empty(output.Reported);
        Assert.Empty(output.Compiled);
    }
}
