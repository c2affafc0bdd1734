using System.Text;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Weir.Lab.Contenders.Work;

namespace Weir.Lab.Tests.Contenders;

public sealed class LineWritesTests
{
    [Theory]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    [InlineData(false, false)]
    public async Task Every_way_writes_the_lines_that_a_stream_of_texts_is(bool sync, bool buffered)
    {
        using var body = new MemoryStream();
        var features = new FeatureCollection();
        features.Set<IHttpResponseFeature>(new HttpResponseFeature());
        features.Set<IHttpResponseBodyFeature>(new StreamResponseBodyFeature(body));
        features.Set<IHttpBodyControlFeature>(new BodyControl());

        await LineWrites.WriteAsync(features, 3, isLong: true, sync, buffered);

        Assert.Equal(string.Concat(Lines.Of(3, isLong: true).Select(static text => $"\"{text}\"\n")), Encoding.UTF8.GetString(body.ToArray()));
        Assert.Equal(3 * 1024, body.Length);
        Assert.Equal(sync, features.GetRequiredFeature<IHttpBodyControlFeature>().AllowSynchronousIO);
    }

    private sealed class BodyControl : IHttpBodyControlFeature
    {
        public bool AllowSynchronousIO { get; set; }
    }
}
