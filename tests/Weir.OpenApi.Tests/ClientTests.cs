using System.Reflection;
using System.Runtime.Loader;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using NJsonSchema.CodeGeneration.CSharp;
using NSwag;
using NSwag.CodeGeneration.CSharp;
using Weir.OpenApi.Tests.Application;
using Xunit;

namespace Weir.OpenApi.Tests;

/// <summary>A client that NSwag generates from the document compiles, and its calls succeed.</summary>
public sealed class ClientTests
{
    [Fact]
    public async Task A_client_of_NSwag_compiles_and_calls_the_server()
    {
        await using var kitchen = await RunningKitchen.StartAsync();
        var document = await OpenApiDocument.FromJsonAsync((await kitchen.DocumentAsync()).ToJsonString(), TestContext.Current.CancellationToken);
        var settings = new CSharpClientGeneratorSettings { UseBaseUrl = false, InjectHttpClient = true, CSharpGeneratorSettings = { Namespace = "Generated", JsonLibrary = CSharpJsonLibrary.SystemTextJson } };
        var assembly = Compile(new CSharpClientGenerator(document, settings).GenerateFile());
        var type = assembly.GetType("Generated.KitchenClient", throwOnError: true)!;
        var client = Activator.CreateInstance(type, kitchen.Client)!;

        var pizza = await CallAsync(client, "FindAsync", 7, null, "hot");
        Assert.Equal("Pizza 7", Get(pizza, "Name"));
        Assert.Equal("Ada", Get(Get(pizza, "Cook")!, "Name"));
        Assert.Equal("Pizza 7", Get(await CallAsync(client, "CreateAsync", pizza), "Name"));
        Assert.Equal("Pizza 7 3", Get(await CallAsync(client, "ReplaceAsync", 3, pizza), "Name"));

        var arguments = Activator.CreateInstance(assembly.GetType("Generated.KitchenOrderArguments", throwOnError: true)!)!;
        arguments.GetType().GetProperty("X")!.SetValue(arguments, 2);
        arguments.GetType().GetProperty("Y")!.SetValue(arguments, 3);
        Assert.Equal(11, await CallAsync(client, "OrderAsync", arguments));

        var all = (System.Collections.IEnumerable)(await CallAsync(client, "AllAsync", 4))!;
        Assert.Equal(4, all.Cast<object>().Count());
        await CallAsync(client, "RemoveAsync", 1);
        Assert.Equal(6, await CallAsync(client, "SumAsync", new List<int> { 1, 2, 3 }));
    }

    private static Assembly Compile(string source)
    {
        var references = ((string)AppContext.GetData("TRUSTED_PLATFORM_ASSEMBLIES")!).Split(Path.PathSeparator).Select(static path => MetadataReference.CreateFromFile(path));
        var compilation = CSharpCompilation.Create("GeneratedClient", [CSharpSyntaxTree.ParseText(source)], references, new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary));
        using var image = new MemoryStream();
        var result = compilation.Emit(image);
        Assert.True(result.Success, string.Join('\n', result.Diagnostics.Where(static one => one.Severity == DiagnosticSeverity.Error).Take(10)) + "\n" + source);
        image.Position = 0;
        return AssemblyLoadContext.Default.LoadFromStream(image);
    }

    private static async Task<object?> CallAsync(object client, string method, params object?[] arguments)
    {
        var found = client.GetType().GetMethods().Where(one => one.Name == method).MinBy(static one => one.GetParameters().Length)!;
        var task = (Task)found.Invoke(client, arguments)!;
        await task;
        return task.GetType().GetProperty("Result") is { } result && found.ReturnType.IsGenericType ? result.GetValue(task) : null;
    }

    private static object? Get(object? of, string property) => of!.GetType().GetProperty(property)!.GetValue(of);
}
