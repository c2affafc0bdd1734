// Upload a page, and download it in shades of grey; then crash the library, and do it again:
//
//   curl -F scan=@page.jpg -o page.png 'http://localhost:5000/Scans/ToGrey?width=800'
//   curl -d '' http://localhost:5000/Scans/Damaged
var builder = WebApplication.CreateBuilder(args);
builder.Services.AddWeir();
var app = builder.Build();
app.MapWeir();
app.Run();
