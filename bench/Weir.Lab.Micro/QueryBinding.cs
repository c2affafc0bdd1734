using System.Globalization;
using BenchmarkDotNet.Attributes;
using Microsoft.AspNetCore.WebUtilities;
using Weir.AspNetCore.Binding;
using Weir.Lab.Contenders.Work;
using Weir.Runtime;

namespace Weir.Lab.Micro;

/// <summary>The four arguments of a query, beside the framework's parser and the parsing that follows it.</summary>
[MemoryDiagnoser]
public class QueryBinding
{
    private readonly HttpArgumentReader _reader = new();
    private readonly Call _call = Generated.CallOf(nameof(Perf.Echo));

    [Params("?name=weir&x=1&y=2&e=Apple", "?name=two%20words&x=-1&y=3&e=Grape")]
    public string Query { get; set; } = "";

    [Benchmark(Baseline = true)]
    public (string Name, int X, int Y, Fruit E) Framework()
    {
        var query = QueryHelpers.ParseQuery(Query);
        return (
            query["name"]!,
            int.Parse(query["x"]!, CultureInfo.InvariantCulture),
            int.Parse(query["y"]!, CultureInfo.InvariantCulture),
            Enum.Parse<Fruit>(query["e"]!, ignoreCase: true));
    }

    [Benchmark]
    public void Weir()
    {
        _reader.Start(Query, refuseUnknown: false);
        _call.Bind(_reader);
        if (_reader.Errors.Count > 0)
            throw new InvalidOperationException($"{Query} was not bound.");
    }
}
