using System.Net;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;
using Microsoft.Extensions.DependencyInjection;
using Weir.OpenApi.Tests.Application;
using Xunit;

namespace Weir.OpenApi.Tests;

/// <summary>What the document allows, the server accepts: values made from every schema.</summary>
public sealed class GeneratedValueTests
{
    private const int Rounds = 20;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Values_of_every_schema_are_accepted(bool hasSettings)
    {
        await using var kitchen = await RunningKitchen.StartAsync(services => services.ConfigureHttpJsonOptions(json =>
        {
            json.SerializerOptions.PropertyNamingPolicy = hasSettings ? JsonNamingPolicy.SnakeCaseUpper : json.SerializerOptions.PropertyNamingPolicy;
            json.SerializerOptions.PropertyNameCaseInsensitive = !hasSettings;
        }));
        var document = await kitchen.DocumentAsync();
        var values = new SchemaValues(document, seed: 1);
        var sent = 0;
        foreach (var (path, operations) in document["paths"]!.AsObject())
        {
            foreach (var (verb, operation) in operations!.AsObject())
            {
                for (var round = 0; round < Rounds; round++)
                {
                    using var request = Request(values, path, verb, operation!);
                    var body = request.Content is null ? "" : await request.Content.ReadAsStringAsync(TestContext.Current.CancellationToken);
                    using var response = await kitchen.Client.SendAsync(request, TestContext.Current.CancellationToken);
                    var answer = await response.Content.ReadAsStringAsync(TestContext.Current.CancellationToken);

                    // The operation's own refusal is declared: negative numbers have no pizza. The secret is for authorized callers.
                    var expected = operation!["operationId"]!.GetValue<string>() switch
                    {
                        "Kitchen_Secret" => [HttpStatusCode.Unauthorized],
                        "Kitchen_Find" => [HttpStatusCode.OK, HttpStatusCode.NotFound],
                        "Kitchen_Add" => [HttpStatusCode.Created],
                        _ => new[] { HttpStatusCode.OK, HttpStatusCode.NoContent },
                    };
                    Assert.True(expected.Contains(response.StatusCode), $"{request.Method} {request.RequestUri} {body}: {(int)response.StatusCode} {answer}");
                    Assert.NotNull(operation["responses"]![$"{(int)response.StatusCode}"]);
                    sent++;
                }
            }
        }

        Assert.Equal(Operations.Expected.Count * Rounds, sent);
    }

    private static HttpRequestMessage Request(SchemaValues values, string path, string verb, JsonNode operation)
    {
        var query = new StringBuilder();
        var headers = new List<(string Name, string Text)>();
        foreach (var parameter in operation["parameters"]?.AsArray() ?? [])
        {
            var (name, isRequired) = (parameter!["name"]!.GetValue<string>(), parameter["required"]?.GetValue<bool>() ?? false);
            if (!isRequired && values.Skips())
            {
                continue;
            }

            var value = values.Make(parameter["schema"]!);
            var texts = value is JsonArray list ? list.Select(SchemaValues.Text).ToList() : [SchemaValues.Text(value)];
            switch (parameter["in"]!.GetValue<string>())
            {
                case "path":
                    path = path.Replace($"{{{name}}}", Uri.EscapeDataString(texts[0].Length > 0 ? texts[0] : "a path has no empty part"), StringComparison.Ordinal);
                    break;
                case "header":
                    headers.Add((name, string.Join(',', texts)));
                    break;
                default:
                    texts.ForEach(text => query.Append(query.Length == 0 ? '?' : '&').Append(name).Append('=').Append(Uri.EscapeDataString(text)));
                    break;
            }
        }

        var request = new HttpRequestMessage(new HttpMethod(verb.ToUpperInvariant()), path + query);
        headers.ForEach(one => request.Headers.TryAddWithoutValidation(one.Name, one.Text));
        if (operation["requestBody"]?["content"]?.AsObject() is { } content && (operation["requestBody"]!["required"]?.GetValue<bool>() == true || !values.Skips()))
        {
            var (mediaType, body) = content.ElementAt(values.Next(content.Count));
            request.Content = mediaType switch
            {
                "application/octet-stream" => new ByteArrayContent([1, 2, 3]) { Headers = { ContentType = new(mediaType) } },
                "multipart/form-data" => Multipart(values, body!["schema"]!),
                "application/x-www-form-urlencoded" => new FormUrlEncodedContent(values.Make(body!["schema"]!)!.AsObject().Select(static one => KeyValuePair.Create(one.Key, SchemaValues.Text(one.Value)))),
                _ => new StringContent(values.Make(body!["schema"]!)?.ToJsonString() ?? "null", Encoding.UTF8, mediaType),
            };
        }

        return request;
    }

    private static MultipartFormDataContent Multipart(SchemaValues values, JsonNode schema)
    {
        var form = new MultipartFormDataContent();
        foreach (var (name, value) in values.Make(schema)!.AsObject())
        {
            foreach (var one in value is JsonArray list ? list.ToArray() : [value])
            {
                if (SchemaValues.Text(one) == SchemaValues.FileContent)
                {
                    form.Add(new ByteArrayContent([1, 2, 3]), name, "file");
                }
                else
                {
                    form.Add(new StringContent(SchemaValues.Text(one)), name);
                }
            }
        }

        // A form without a part is none.
        form.Add(new StringContent("x"), "unknown");
        return form;
    }
}
